// The page of `bough score --by-word` in a real browser: the more a word costs, the stronger its
// colour.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { bough, openBrowser, openPage, screens, screenshotPath, temporaryFolder } from "./browser.mjs";

const folder = temporaryFolder(after);
const report = pathToFileURL(join(folder, "words.html")).href;
const sentences = ["the dog sleeps .", "the cat sleeps .", "a dog sings a song .",
                   "we like the cat .", "we see a bird and a dog ."];
let browser;
let scored;

before(async () => {
  const corpus = join(folder, "train.txt");
  writeFileSync(corpus, sentences.join("\n") + "\n");
  bough("train", "--quiet", "--task", "lm", "--oracle", "uniform", "--train", corpus, "--out",
        join(folder, "model"), "--layers", "1", "--hidden-size", "32", "--embedding-size", "32",
        "--updates", "60", "--batch-size", "5", "--learning-rate", "0.02", "--samples", "0",
        "--threads", "1");
  writeFileSync(join(folder, "scored.txt"), sentences.concat("the dog sleeps <script> .").join("\n") + "\n");
  bough("score", "--quiet", "--model", join(folder, "model"), "-i", join(folder, "scored.txt"),
        "--by-word", "--others", "2", "--threads", "1", "-o", join(folder, "scores.jsonl"),
        "--report", join(folder, "words.html"));
  scored = readFileSync(join(folder, "scores.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  browser = await openBrowser();
});
after(() => browser?.close());

/// The words of a page: text, colour as [red, green, blue, opacity], the word below.
const coloured = (page) =>
  page.locator(".sentence").evaluateAll((lines) => lines.map((line) =>
    [...line.querySelectorAll("span")].map((word) => ({
      text: word.firstChild.textContent,
      colour: getComputedStyle(word).backgroundColor.match(/[\d.]+/g).map(Number),
      other: word.querySelector("small").textContent,
      underlined: getComputedStyle(word.querySelector("small")).textDecorationLine === "underline",
    }))));

describe("the page of words' costs", () => {
  test("has each sentence with its words, their costs as colours, and the best other words", async () => {
    const { page, faults, close } = await openPage(browser, report);
    const lines = await coloured(page);
    assert.equal(lines.length, scored.length);
    for (const [i, words] of lines.entries()) {
      const costs = scored[i].by_word;
      assert.deepEqual(words.map((word) => word.text), costs.map((cost) => cost.token));
      for (const [j, { colour, other, underlined }] of words.entries()) {
        const [red, , blue, opacity = 1] = colour;
        const strength = 0.8 * Math.min(1, Math.abs(costs[j].without) / 10);
        assert.ok(Math.abs(opacity - strength) < 0.01, `${opacity} for ${costs[j].without} nats`);
        assert.equal(red > blue, costs[j].without >= 0);
        assert.ok(other.startsWith(`${costs[j].other} `));
        assert.equal(underlined, costs[j].with_other > 0);
      }
    }
    assert.ok(lines.flat().some((word) => word.colour[3] > 0.1), "no word has a colour");
    assert.deepEqual(faults, []);
    await close();
  });

  test("fits a laptop, a phone and the dark", async () => {
    for (const [name, options] of screens) {
      const { page, faults, close } = await openPage(browser, report, options);
      const [needed, given] = await page.evaluate(() =>
        [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(needed <= given, `${name}: ${needed} pixels wide on ${given}`);
      await page.screenshot({ path: screenshotPath(`words-${name}`), fullPage: true });
      assert.deepEqual(faults, [], name);
      await close();
    }
  });
});
