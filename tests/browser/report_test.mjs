// The report of `bough analyze` in a real browser: a trained model's page, and one with words that
// would break a careless page.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { bough, openBrowser, openPage, screens, screenshotPath, temporaryFolder } from "./browser.mjs";

const folder = temporaryFolder(after);
const report = pathToFileURL(join(folder, "report.html")).href;
const hostileReport = pathToFileURL(join(folder, "hostile.html")).href;
const hostileWords = ["<script>alert(1)</script>", "&amp;", "\"'", "שלום", "مرحبا", "</svg>", "]]>"];
const sentences = ["the dog sleeps .", "the cat sleeps .", "a dog sings a song .",
                   "we like the cat .", "we see a bird and a dog ."];
let browser;

/// A trace in which each word is the right child of the one before.
function chain(words) {
  return {
    version: 1,
    text: words.join(" "),
    tokens: words,
    nodes: words.map((token, id) => ({ id, token, step: id === 0 ? 0 : 2 * id })),
    actions: words.flatMap((word, id) => (id === 0 ? [word] : ["<end>", word])).concat("<end>", "<end>"),
    finished: true,
  };
}

before(async () => {
  writeFileSync(join(folder, "train.txt"), sentences.join("\n") + "\n");
  for (const oracle of ["uniform", "left-right"]) {
    bough("train", "--quiet", "--task", "lm", "--oracle", oracle, "--train", join(folder, "train.txt"),
          "--valid", join(folder, "train.txt"), "--out", join(folder, oracle), "--layers", "1",
          "--hidden-size", "32", "--embedding-size", "32", "--updates", "60", "--epoch-updates", "30",
          "--batch-size", "5", "--learning-rate", "0.02", "--samples", "0", "--threads", "1");
  }
  bough("analyze", "--quiet", "--model", join(folder, "uniform"), "--model", join(folder, "left-right"),
        "-n", "200", "--shown", "4", "--report", join(folder, "report.html"), "--title", "Two orders",
        "--train", join(folder, "train.txt"), "--valid", join(folder, "train.txt"), "-o", join(folder, "analysis.json"));
  writeFileSync(join(folder, "hostile.jsonl"), JSON.stringify(chain(hostileWords)) + "\n");
  bough("analyze", "--quiet", "--traces", join(folder, "hostile.jsonl"), "--report",
        join(folder, "hostile.html"), "--title", "<b>&", "-o", join(folder, "hostile.json"));
  browser = await openBrowser();
});
after(() => browser?.close());

/// Steps whose words the reader sees in the tree's picture.
const visibleSteps = (tree) =>
  tree.locator("svg .word").evaluateAll((words) =>
    words.filter((word) => getComputedStyle(word).visibility === "visible")
      .map((word) => Number(word.dataset.step)));

describe("the report", () => {
  test("loads without errors, asks for nothing, and fits a laptop and a phone", async () => {
    for (const [name, options] of screens) {
      const { page, faults, close } = await openPage(browser, report, options);
      assert.equal(await page.title(), "Two orders");
      assert.equal(await page.locator("details.tree").count(), 8);
      const [needed, given] = await page.evaluate(() =>
        [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(needed <= given, `${name}: ${needed} pixels wide on ${given}`);
      await page.screenshot({ path: screenshotPath(`report-${name}`), fullPage: true });
      assert.deepEqual(faults, [], name);
      await close();
    }
  });

  test("is light on dark where the reader prefers that", async () => {
    const lightness = (colour) => colour.match(/\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b);
    const sideOf = {};
    for (const colorScheme of ["light", "dark"]) {
      const { page, close } = await openPage(browser, report, { colorScheme });
      const [ink, paper] = await page.locator("body").evaluate((body) => {
        const style = getComputedStyle(body);
        return [style.color, style.backgroundColor];
      });
      sideOf[colorScheme] = Math.sign(lightness(ink) - lightness(paper));
      await close();
    }
    assert.deepEqual(sideOf, { light: -1, dark: 1 });
  });

  test("can be read without its script", async () => {
    const { page, close } = await openPage(browser, report, { javaScriptEnabled: false });
    const text = await page.locator("main").innerText();
    for (const part of ["uniform", "left-right", "novel, %", "BLEU-4", "mean span", "Entropy by depth", "Training"]) {
      assert.ok(text.includes(part), part);
    }
    assert.ok(await page.locator("details.tree svg .word").first().isVisible());
    await close();
  });

  test("replays a sentence step by step", async () => {
    const { page, faults, close } = await openPage(browser, report);
    const tree = page.locator("details.tree").first();
    const all = await visibleSteps(tree);
    const steps = Number(await tree.getAttribute("data-steps"));
    assert.ok(all.length > 1 && steps === 2 * all.length + 1, `${all.length} words, ${steps} actions`);
    const shown = (done) => all.filter((step) => step < done);

    await tree.locator("[data-do=back]").click();
    assert.deepEqual(await visibleSteps(tree), shown(steps - 1));
    await tree.locator("input").fill("0");
    assert.deepEqual(await visibleSteps(tree), []);
    assert.equal(await tree.locator("output").innerText(), `0 of ${steps} actions`);
    for (let done = 1; done <= steps; ++done) {
      await tree.locator("[data-do=forward]").click();
      assert.deepEqual(await visibleSteps(tree), shown(done), `after ${done} actions`);
      const words = await tree.locator("summary span:not(.hidden)").count();
      assert.equal(words, shown(done).length);
    }
    await tree.locator("[data-do=forward]").click();  // at the end nothing more happens
    assert.deepEqual(await visibleSteps(tree), all);
    assert.deepEqual(faults, []);
    await close();
  });

  test("opens the first tree of each model, and any other at a click", async () => {
    const { page, close } = await openPage(browser, report);
    const trees = page.locator("details.tree");
    const open = () => trees.evaluateAll((all) => all.map((tree) => tree.open));
    assert.deepEqual(await open(), [true, false, false, false, true, false, false, false]);
    assert.ok(!(await trees.nth(1).locator("svg").isVisible()));
    await trees.nth(1).locator("summary").click();
    assert.ok(await trees.nth(1).locator("svg").isVisible());
    await close();
  });

  test("plays, pauses where it is, goes on, and ends with the whole tree", async () => {
    const { page, close } = await openPage(browser, report);
    const tree = page.locator("details.tree").first();
    const play = tree.locator("[data-do=play]");
    const steps = await tree.getAttribute("data-steps");
    const done = () => tree.locator("input").inputValue();
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(60000);  // from here on time passes by runFor alone
    await play.click();
    assert.equal(await play.innerText(), "Pause");
    assert.equal(await done(), "0");
    await page.clock.runFor(1100);
    assert.equal(await done(), "3");
    await play.click();
    assert.equal(await play.innerText(), "Play");
    await page.clock.runFor(5000);
    assert.equal(await done(), "3");
    await play.click();
    await page.clock.runFor(400);
    assert.equal(await done(), "4");
    await page.clock.runFor(60000);
    assert.equal(await done(), steps);
    assert.equal(await play.innerText(), "Play");
    await close();
  });

  test("says what else could have stood at a word", async () => {
    const { page, faults, close } = await openPage(browser, report);
    const tree = page.locator("details.tree").first();
    const word = tree.locator("svg .word").first();
    const others = tree.locator(".others");
    for (const act of [() => word.hover(), () => word.focus(), () => word.click()]) {
      await page.mouse.move(0, 0);
      await others.evaluate((element) => element.replaceChildren());
      await act();
      const shares = (await others.locator("li").allInnerTexts()).map((line) =>
        Number(line.match(/([\d.]+) %$/)[1]));
      assert.equal(shares.length, 5);
      assert.deepEqual(shares, [...shares].sort((a, b) => b - a));
      assert.ok(shares[0] > 0 && shares.reduce((a, b) => a + b) < 100.5);
      assert.match(await others.innerText(), /probability [\d.e-]+, entropy [\d.]+ nats/);
    }
    await others.scrollIntoViewIfNeeded();
    await page.screenshot({ path: screenshotPath("report-alternatives") });
    assert.deepEqual(faults, []);
    await close();
  });

  test("shows words as they are, whatever is in them", async () => {
    const { page, faults, close } = await openPage(browser, hostileReport);
    assert.equal(await page.title(), "<b>&");
    const tree = page.locator("details.tree");
    assert.deepEqual(await tree.locator("summary span").allTextContents(), hostileWords);
    const drawn = await tree.locator("svg .word").evaluateAll((words) =>
      words.map((word) => word.querySelector("text").textContent));
    assert.deepEqual(drawn, hostileWords);
    for (const [i, word] of hostileWords.entries()) {
      await tree.locator("svg .word").nth(i).hover();
      assert.equal(await tree.locator(".others b").textContent(), word);
    }
    await page.screenshot({ path: screenshotPath("report-hostile"), fullPage: true });
    assert.deepEqual(faults, []);
    await close();
  });
});
