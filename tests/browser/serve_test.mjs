// The page of `bough serve` in a real browser, with models of a real server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import OpenAI from "openai";

import { bough, openBrowser, openPage, screens, screenshotPath, temporaryFolder } from "./browser.mjs";

const folder = temporaryFolder(after);
const sentences = ["the dog sleeps .", "the cat sleeps .", "a dog sings a song .",
                   "we like the cat .", "we see a bird and a dog ."];
const translated = ["der Hund schläft .", "die Katze schläft .", "ein Hund singt ein Lied .",
                    "wir mögen die Katze .", "wir sehen einen Vogel und einen Hund ."];
let browser;
let server;
let address;

function train(name, ...options) {
  const corpus = join(folder, "train.txt");
  bough("train", "--quiet", "--train", corpus, "--valid", corpus, "--out", join(folder, name), "--layers", "1",
        "--hidden-size", "32", "--embedding-size", "32", "--updates", "60", "--epoch-updates", "60",
        "--batch-size", "5", "--learning-rate", "0.02", "--samples", "0", "--threads", "1", ...options);
}

/// The server's address, once it is ready.
function serve(...options) {
  server = spawn(process.env.BOUGH_PROGRAM, ["serve", "--port", "0", "--threads", "1", ...options], { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let said = "";
    server.stderr.on("data", (data) => {
      said += data;
      if (said.includes("ready")) resolve(`${said.match(/http:\/\/[\d.]+:\d+/)[0]}/`);
    });
    server.on("exit", () => reject(new Error(said)));
  });
}

before(async () => {
  writeFileSync(join(folder, "train.txt"), sentences.join("\n") + "\n");
  train("uniform", "--task", "lm", "--oracle", "uniform");
  train("forward", "--task", "lm", "--oracle", "left-right");
  train("order", "--task", "reorder", "--oracle", "uniform");
  const german = join(folder, "train.de");
  writeFileSync(german, translated.join("\n") + "\n");
  train("german", "--task", "translate", "--oracle", "uniform", "--source-train", german, "--source-valid", german);
  address = await serve(...["uniform", "forward", "order", "german"].flatMap((name) => ["--model", join(folder, name)]));
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  server?.kill();
});

/// The page, at an address that may say what to ask, and what went wrong on it.
async function open(asked = "", options = {}) {
  const opened = await openPage(browser, address + asked, { ours: address, ...options });
  await opened.page.waitForSelector("#task option", { state: "attached" });
  return opened;
}

const done = (page) => page.waitForFunction(() => ["done", "stopped"].includes(document.getElementById("status").textContent));
const grow = async (page) => {
  await page.click("#grow");
  await done(page);
};
const sentenceOf = (page, i = 0) => page.locator(".words").nth(i).innerText().then((text) => text.trim());
const focused = (page) => page.evaluate(() => document.activeElement.textContent);
const wordsOf = (page) => page.locator("section.tree").first().locator("svg .word text:nth-of-type(1)").allTextContents();

/// What the server itself says.
async function asked(verb, body) {
  const answer = await fetch(address + verb, { method: "POST", body: JSON.stringify(body) });
  return (await answer.json()).results;
}

describe("OpenAI's own client", () => {
  const ask = () => ({ model: "uniform", prompt: "the", suffix: ".", n: 2, seed: 4, temperature: 0.8, top_p: 0.9, logprobs: 2 });

  test("reads completions, streams, models and errors", async () => {
    const client = new OpenAI({ baseURL: `${address}v1`, apiKey: "any", maxRetries: 0 });
    const whole = await client.completions.create(ask());
    assert.equal(whole.choices.length, 2);
    const expected = await asked("complete", { model: "uniform", template: ["the ___ .", "the ___ ."], seed: 4, temperature: 0.8, top_p: 0.9 });
    assert.deepEqual(whole.choices.map((choice) => `the ${choice.text} .`.replace("  ", " ")), expected.map((one) => one.text));
    assert.equal(whole.choices[0].logprobs.tokens.length, whole.choices[0].logprobs.token_logprobs.length);
    const streamed = [];
    for await (const part of await client.completions.create({ ...ask(), stream: true })) {
      streamed.push(part.choices[0].text);
    }
    assert.deepEqual(streamed, whole.choices.map((choice) => choice.text));
    const names = [];
    for await (const model of client.models.list()) names.push(model.id);
    assert.deepEqual(names, ["uniform", "forward", "order", "german"]);
    await assert.rejects(client.completions.create({ ...ask(), temperature: 9 }), (error) =>
      error instanceof OpenAI.BadRequestError && error.message.includes("'temperature' takes"));
    await assert.rejects(client.completions.create({ ...ask(), model: "none" }), OpenAI.NotFoundError);
  });
});

describe("the server's page", () => {
  test("grows the sentences of a seed, and says so in its address", async () => {
    const { page, faults, close } = await open();
    await page.fill("#count", "2");
    await page.fill("#seed", "7");
    await grow(page);
    const expected = await asked("generate", { model: "uniform", n: 2, seed: 7 });
    assert.deepEqual([await sentenceOf(page), await sentenceOf(page, 1)], expected.map((one) => one.tokens.join(" ")));
    assert.equal(await page.locator("section.tree svg").count(), 2);
    const again = await open(new URL(page.url()).hash);
    await done(again.page);
    assert.equal(await sentenceOf(again.page, 1), expected[1].tokens.join(" "));
    assert.deepEqual(faults.concat(again.faults), []);
    await again.close();
    await close();
  });

  test("shows words as they come, without moving anything", async () => {
    const { page, faults, close } = await open();
    await page.evaluate(() => {
      window.heights = new Set();
      window.sizes = new Set();
      new MutationObserver(() => {
        const tree = document.querySelector("section.tree");
        if (!tree) return;
        window.heights.add(tree.getBoundingClientRect().height);
        window.sizes.add(tree.querySelectorAll("svg .word").length);
      }).observe(document.getElementById("results"), { childList: true, subtree: true });
    });
    await grow(page);
    const words = (await sentenceOf(page)).split(" ").length;
    const [heights, sizes] = await page.evaluate(() => [[...window.heights], [...window.sizes]]);
    assert.equal(heights.length, 1, `heights ${heights}`);
    assert.ok(sizes.includes(words), `${sizes} of ${words}`);
    assert.deepEqual(faults, []);
    await close();
  });

  test("replays and steps", async () => {
    const { page, faults, close } = await open("#task=generate&seed=3");
    await done(page);
    const tree = page.locator("section.tree");
    const steps = Number(await tree.getAttribute("data-steps"));
    const shown = () => tree.locator("svg .word:not(.hidden)").count();
    const all = await shown();
    await tree.locator("input[type=range]").fill("0");
    assert.equal(await shown(), 0);
    await tree.locator("[data-do=forward]").click();
    assert.equal(await shown(), 1);
    for (let i = 1; i < steps; ++i) await tree.locator("[data-do=forward]").click();
    assert.equal(await shown(), all);
    assert.deepEqual(faults, []);
    await close();
  });

  test("completes, with words that have to appear, and puts words in order", async () => {
    const { page, faults, close } = await open();
    await page.selectOption("#task", "complete");
    await page.fill("#text", "the ___ sleeps ___");
    await page.press("#text", "Enter");
    await done(page);
    assert.match(await sentenceOf(page), /^the .*sleeps/);
    await page.fill("#must", "bird, song");
    await grow(page);
    assert.match(await sentenceOf(page), /bird.*song/);
    await page.screenshot({ path: screenshotPath("serve-complete"), fullPage: true });
    await page.selectOption("#task", "reorder");
    assert.equal(await page.inputValue("#model"), "order");
    await page.fill("#text", "sleeps dog the .");
    await grow(page);
    const [expected] = await asked("reorder", { words: "sleeps dog the .", seed: 1, exact: true });
    assert.equal(await sentenceOf(page), expected.tokens.join(" "));
    assert.deepEqual(faults, []);
    await close();
  });

  test("colours the words of a sentence by what they cost", async () => {
    const { page, faults, close } = await open("#task=score&text=the+dog+sings+.&model=uniform");
    await page.waitForSelector(".sentence");
    const [scored] = await asked("score", { model: "uniform", text: "the dog sings .", by_word: true });
    const words = page.locator(".sentence span");
    assert.equal(await words.count(), 4);
    for (const [i, cost] of scored.by_word.entries()) {
      assert.equal(await words.nth(i).getAttribute("class"), cost.without >= 0 ? "costs" : "saves");
      assert.equal(await words.nth(i).getAttribute("title"), `${cost.without.toFixed(2)} nats`);
    }
    await page.screenshot({ path: screenshotPath("serve-score"), fullPage: true });
    assert.deepEqual(faults, []);
    await close();
  });

  test("scores a translation as that of a sentence, which a link has, too", async () => {
    const { page, faults, close } = await open();
    const source = page.locator("#source");
    await page.selectOption("#task", "score");
    for (const [model, needed] of [["uniform", false], ["order", false], ["german", true], ["uniform", false]]) {
      await page.selectOption("#model", model);
      assert.equal(await source.isVisible(), needed, model);
    }
    await page.selectOption("#other", "german");  // with it, the first model still isn't sent one
    await source.fill("der Hund singt .");
    await page.fill("#text", "the dog sings .");
    await source.press("Enter");
    await done(page);
    const scored = async (model, rest) => {
      const [{ perplexity }] = await asked("score", { model, text: "the dog sings .", ...rest });
      return perplexity.toFixed(1);
    };
    const expected = [await scored("uniform"), await scored("german", { source: "der Hund singt ." })];
    assert.deepEqual(await page.locator(".sentence b").allTextContents(), expected);
    await page.screenshot({ path: screenshotPath("serve-score-translation"), fullPage: true });
    const again = await open(new URL(page.url()).hash);
    await done(again.page);
    assert.deepEqual(await again.page.locator(".sentence b").allTextContents(), expected);
    await page.selectOption("#task", "translate");
    assert.ok(await source.isHidden());
    assert.deepEqual(faults.concat(again.faults), []);
    await again.close();
    await close();
  });

  test("says what else could have stood at a word, and regrows from there", async () => {
    const { page, faults, close } = await open("#task=generate&seed=5&model=uniform");
    await done(page);
    const words = await wordsOf(page);
    assert.ok(words.length > 2, words.join(" "));
    const word = page.locator("svg .word");
    await word.nth(1).hover();
    assert.equal(await page.locator(".others b").textContent(), words[1]);
    assert.equal(await page.locator(".others li").count(), 6);
    assert.equal(await page.locator(".others .acts").count(), 0);

    await word.nth(1).click();
    await page.locator("svg .word").nth(0).hover();  // what was chosen stays
    assert.equal(await page.locator(".others b").textContent(), words[1]);
    await page.screenshot({ path: screenshotPath("serve-word"), fullPage: true });
    await page.locator(".others li button").nth(1).click();
    await done(page);
    const put = await wordsOf(page);
    assert.equal(put[0], words[0]);
    assert.notEqual(put[1], words[1]);
    const again = await open(new URL(page.url()).hash);  // the address shows this, too
    await done(again.page);
    assert.deepEqual(await wordsOf(again.page), put);
    await again.close();

    for (const key of ["Enter", "Space"]) {  // the same by keys
      const before = page.url();
      await page.locator("svg .word").nth(1).focus();
      await page.keyboard.press(key);
      assert.equal(await focused(page), "Regrow from here", key);
      assert.equal(page.url(), before, `${key} chooses and does no more`);
      await page.keyboard.press(key);
      await done(page);
      assert.notEqual(page.url(), before, key);
      assert.equal((await wordsOf(page))[0], words[0]);
    }
    await page.locator("svg .word").nth(0).dblclick();
    await done(page);
    assert.ok((await wordsOf(page)).length > 0);
    assert.deepEqual(faults, []);
    await close();
  });

  test("keeps a tree that can't be regrown, and says why", async () => {
    const { page, close } = await open("#task=generate&seed=5&model=uniform");
    await done(page);
    const [words, hash] = [await wordsOf(page), new URL(page.url()).hash];
    const regrow = page.locator(".others .acts button", { hasText: "Regrow" });
    const asBefore = async (status) => {
      await page.waitForFunction((text) => document.getElementById("status").textContent.includes(text), status);
      assert.deepEqual(await wordsOf(page), words, status);
      assert.equal(await page.locator("section.tree").count(), 1, status);
      assert.equal(new URL(page.url()).hash, hash, status);
      assert.equal(await page.inputValue("#seed"), "5", status);
      assert.equal(await focused(page), "Regrow from here", status);
    };
    const complete = async (answer) => {
      await page.unrouteAll();
      await page.route("**/complete", answer);
      await regrow.click();
    };
    await page.locator("svg .word").nth(1).click();
    await complete((route) => route.abort());
    await asBefore("can't be reached");
    const error = { code: 429, message: "8 requests are under way already", type: "rate_limit_error" };
    await complete((route) => route.fulfill({ status: 429, json: { error } }));
    await asBefore("requests are under way");
    await page.screenshot({ path: screenshotPath("serve-kept"), fullPage: true });
    const insert = { op: "insert", result: 0, index: 0, token: "dog", node: 0, step: 0, logprob: -1 };
    await complete((route) => route.fulfill({ contentType: "text/event-stream", body: `data: ${JSON.stringify(insert)}\n\n` }));
    await asBefore("broke off");
    await complete(() => {});  // no answer
    await page.waitForFunction(() => document.querySelector(".words").textContent === "");
    await page.locator("#stop").press("Enter");
    await asBefore("stopped");
    await page.unrouteAll();
    await regrow.press("Enter");
    await done(page);
    assert.equal(await page.inputValue("#seed"), "6");
    assert.equal(await focused(page), "Play");
    assert.equal((await wordsOf(page))[0], words[0]);
    await close();
  });

  test("keeps words that are locked", async () => {
    const { page, faults, close } = await open("#task=generate&seed=5&model=uniform");
    await done(page);
    const words = await wordsOf(page);
    await page.locator("svg .word").nth(0).click();
    await page.locator(".others .acts button", { hasText: "Lock" }).click();
    assert.equal(await page.locator(".word.locked").count(), 1);
    await page.screenshot({ path: screenshotPath("serve-locked"), fullPage: true });
    await page.locator("[data-do=relock]").click();
    await done(page);
    assert.ok((await wordsOf(page)).includes(words[0]));
    assert.deepEqual(faults, []);
    await close();
  });

  test("takes words to another place by mouse, by finger and by keys", async () => {
    const { page, faults, close } = await open("", { hasTouch: true });
    await page.selectOption("#task", "complete");
    await page.fill("#text", "the ___ dog <blank:1-2> sleeps");
    const chip = (text) => page.locator(".chip", { hasText: text });
    const chips = () => page.locator(".chip").allTextContents();
    const middle = async (element) => {
      const { x, y, width, height } = await element.boundingBox();
      return { x, y: y + height / 2, width };
    };
    assert.deepEqual(await chips(), ["the", "___", "dog", "<blank:1-2>", "sleeps"]);
    assert.equal(await page.locator(".chip.gap").count(), 2);

    let from = await middle(chip("dog"));
    let to = await middle(chip("the"));
    await page.mouse.move(from.x + from.width / 2, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x + 20, to.y + 3, { steps: 4 });
    await page.mouse.move(to.x + 2, to.y, { steps: 2 });
    assert.equal(await page.locator(".ghost").count(), 1);
    assert.equal(await page.locator(".chip.drop-before").textContent(), "the");
    await page.screenshot({ path: screenshotPath("serve-dragging"), fullPage: true });
    await page.mouse.up();
    assert.deepEqual(await chips(), ["dog", "the", "___", "<blank:1-2>", "sleeps"]);
    assert.equal(await page.inputValue("#text"), "dog the ___ <blank:1-2> sleeps");
    assert.equal(await page.locator(".ghost, .dragged, .drop-before").count(), 0);

    await page.mouse.move((await middle(chip("the"))).x + 5, to.y);  // given up
    await page.mouse.down();
    await page.mouse.move(to.x + 300, to.y, { steps: 4 });
    await page.keyboard.press("Escape");
    await page.mouse.up();
    assert.equal(await page.inputValue("#text"), "dog the ___ <blank:1-2> sleeps");

    const finger = await page.context().newCDPSession(page);
    from = await middle(chip("dog"));
    to = await middle(chip("sleeps"));
    const touch = (type, ...touchPoints) => finger.send("Input.dispatchTouchEvent", { type, touchPoints });
    await touch("touchStart", { x: from.x + 10, y: from.y });
    for (let i = 1; i <= 4; ++i) await touch("touchMove", { x: from.x + 10 + (i * (to.x + to.width - 12 - from.x)) / 4, y: to.y });
    await touch("touchEnd");
    assert.equal(await page.inputValue("#text"), "the ___ <blank:1-2> sleeps dog");

    await chip("dog").focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "sleeps");
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Shift+ArrowLeft");
    assert.equal(await page.inputValue("#text"), "the sleeps ___ <blank:1-2> dog");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "sleeps");
    await grow(page);
    assert.match(await sentenceOf(page), /^the sleeps .*dog$/);

    await page.selectOption("#task", "reorder");
    assert.equal((await chips()).length, 5);
    await page.selectOption("#task", "generate");
    assert.ok(await page.locator("#chips").isHidden());
    assert.deepEqual(faults, []);
    await close();
  });

  test("writes anew around locked words, where they were taken to", async () => {
    const { page, faults, close } = await open("#task=complete&text=we+___+dog+___&seed=4&model=uniform");
    await done(page);
    const sentence = page.locator(".words");
    for (const word of ["dog", "we"]) {
      await page.locator("svg .word", { hasText: word }).first().click();
      await page.locator(".others .acts button", { hasText: "Lock" }).click();
    }
    const dog = sentence.locator(".locked", { hasText: "dog" });
    const we = sentence.locator(".locked", { hasText: "we" });
    const [from, to] = [await dog.boundingBox(), await we.boundingBox()];
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 4 });
    await page.mouse.move(to.x + 1, to.y + to.height / 2, { steps: 2 });
    await page.screenshot({ path: screenshotPath("serve-dragging-locked"), fullPage: true });
    await page.mouse.up();
    assert.match(await sentenceOf(page), /^dog we /);
    await dog.press("Shift+ArrowRight");
    await dog.press("Shift+ArrowRight");
    assert.match(await sentenceOf(page), /^we \S+ dog/);
    await page.locator("[data-do=relock]").click();
    await done(page);
    assert.match(new URL(page.url()).hash, /text=we\+___\+dog(\+___)?&/);
    assert.match(await sentenceOf(page), /^we .*dog/);
    assert.deepEqual(faults, []);
    await close();
  });

  test("compares two models", async () => {
    const { page, faults, close } = await open("#task=generate&seed=2&model=uniform&other=forward");
    await done(page);
    for (const [i, model] of ["uniform", "forward"].entries()) {
      const [expected] = await asked("generate", { model, seed: 2 });
      assert.equal(await sentenceOf(page, i), expected.tokens.join(" "));
    }
    await page.screenshot({ path: screenshotPath("serve-compare"), fullPage: true });
    assert.deepEqual(faults, []);
    await close();
  });

  test("gives trees away as files, and sentences and links to copy", async () => {
    const { page, faults, close } = await open("#task=generate&seed=5", { permissions: ["clipboard-read", "clipboard-write"] });
    await done(page);
    const fileOf = async (what) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-do=${what}]`)]);
      return readFileSync(await download.path(), "utf8");
    };
    const trace = JSON.parse(await fileOf("json"));
    assert.equal(trace.tokens.join(" "), await sentenceOf(page));
    assert.match(await fileOf("svg"), /^<svg[^]*<\/svg>\s*$/);
    await page.click("[data-do=copy]");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), trace.text);
    await page.click("#link");
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#task=generate&.*seed=5/);
    assert.deepEqual(faults, []);
    await close();
  });

  test("says what is wrong, in the server's words", async () => {
    const { page, close } = await open("#task=complete&text=%3Cblank:3-1%3E");
    await page.waitForSelector("#status.wrong");
    assert.match(await page.locator("#status").innerText(), /at least 3 and at most 1/);
    await close();
  });

  test("follows a link in an open tab", async () => {
    const { page, faults, close } = await open("#task=reorder&text=sleeps+dog+the+.&seed=9&temperature=2");
    await done(page);
    const [expected] = await asked("generate", { model: "uniform", seed: 5 });
    await page.evaluate(() => (location.hash = "task=generate&seed=5"));
    await page.waitForFunction((text) => document.querySelector(".words")?.innerText.trim() === text, expected.tokens.join(" "));
    await done(page);
    assert.equal(await page.inputValue("#temperature"), "", "what it doesn't name is as usual");
    assert.equal(await page.inputValue("#model"), "uniform");
    assert.deepEqual(faults, []);
    await close();
  });

  test("says what a link asks for that isn't here, and chooses another", async () => {
    for (const [link, named, instead] of [
      ["task=generate&model=gone", "'gone', which isn't served here", { model: "uniform" }],
      ["task=generate&model=order", "'order', which can't do this", { model: "uniform" }],
      ["task=generate&model=forward&other=gone", "'gone', which isn't", { model: "forward", other: "" }],
      ["task=fly", "'fly', which isn't", { task: "generate", model: "uniform" }],
    ]) {
      const { page, faults, close } = await open(`#${link}`);
      await page.waitForSelector("#status.wrong");
      assert.ok((await page.locator("#status").innerText()).includes(named), link);
      for (const [name, value] of Object.entries(instead)) assert.equal(await page.inputValue(`#${name}`), value, link);
      assert.equal(new URL(page.url()).hash, `#${link}`);
      await grow(page);
      assert.ok((await sentenceOf(page)).length > 0);
      assert.deepEqual(faults, []);
      await close();
    }
  });

  test("waits for models that are being loaded", async () => {
    const { page, close } = await open("#task=generate&seed=5");
    await done(page);
    let asks = 0;
    await page.route("**/v1/models", (route) => {
      if (++asks > 2) return route.continue();
      const error = { code: 503, message: "the models are being loaded: come again later", type: "server_error" };
      return asks === 1 ? route.fulfill({ status: 503, json: { error } }) : route.fulfill({ status: 502, body: "<html>" });
    });
    await page.reload();
    await page.waitForFunction(() => document.getElementById("status").textContent.includes("isn't ready yet"));
    const place = () => page.locator("#grow").boundingBox();
    const before = await place();
    await page.screenshot({ path: screenshotPath("serve-loading"), fullPage: true });
    await page.evaluate(() => (location.hash = "task=generate&seed=6"));  // what is asked by then counts
    await done(page);
    assert.equal(asks, 3);
    assert.deepEqual(await place(), before, "nothing moves when they are there");
    const [expected] = await asked("generate", { model: "uniform", seed: 6 });
    assert.equal(await sentenceOf(page), expected.tokens.join(" "));
    await close();
  });

  test("says of an answer that isn't the server's what can be said", async () => {
    const { page, close } = await open();
    await page.route("**/generate", (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<html>Bad Gateway</html>" }));
    await page.click("#grow");
    await page.waitForSelector("#status.wrong");
    assert.equal(await page.locator("#status").innerText(), "The server answered 502.");
    await close();
  });

  test("leaves Enter to those who compose a word with it", async () => {
    const { page, faults, close } = await open("#task=complete&text=the+___");
    await done(page);
    const taken = (options) => page.locator("#text").evaluate((text, options) =>
      !text.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...options })), options);
    assert.equal(await taken({ isComposing: true }), false);
    assert.equal(await taken({ keyCode: 229 }), false);
    assert.equal(await page.locator("#status").innerText(), "done");
    assert.equal(await taken({}), true);
    await done(page);
    assert.deepEqual(faults, []);
    await close();
  });

  test("says that the server has gone, and goes on when it is back", async () => {
    const { page, close } = await open("#task=generate&seed=5");
    await done(page);
    await page.route("**/generate", (route) => route.abort());
    await page.click("#again");
    await page.waitForSelector("#status.wrong");
    assert.match(await page.locator("#status").innerText(), /server can't be reached/);
    assert.equal(await page.locator("section.tree").count(), 0, "no empty trees");
    await page.unroute("**/generate");
    await grow(page);
    assert.equal(await page.locator("section.tree").count(), 1);
    await close();
  });

  test("fits a laptop, a phone and the dark", async () => {
    for (const [name, options] of screens) {
      const { page, faults, close } = await open("#task=complete&text=we+___+dog+___&seed=4&count=2", options);
      await done(page);
      await page.locator("svg .word").first().click();
      const [needed, given] = await page.evaluate(() =>
        [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(needed <= given, `${name}: ${needed} pixels wide on ${given}`);
      await page.screenshot({ path: screenshotPath(`serve-${name}`), fullPage: true });
      assert.deepEqual(faults, [], name);
      await close();
    }
  });
});
