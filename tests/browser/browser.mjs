// What the tests of pages share: the real program, Debian's Chromium, and a folder for both.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/// Runs bough to its end and gives what it printed.
export function bough(...words) {
  const program = process.env.BOUGH_PROGRAM;
  assert.ok(program, "BOUGH_PROGRAM does not name the program");
  const { status, stdout, stderr } = spawnSync(program, words, { input: "", encoding: "utf8" });
  assert.equal(status, 0, `bough ${words.join(" ")}: ${stderr}`);
  return stdout;
}

/// A folder that is gone after the tests of a file.
export function temporaryFolder(after) {
  const folder = mkdtempSync(join(tmpdir(), "bough-browser-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/// Where pictures of the pages are left for people: in the build folder.
export function screenshotPath(name) {
  const folder = process.env.BOUGH_SCREENSHOTS ?? join(tmpdir(), "bough-screenshots");
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.png`);
}

/// What a page has to fit, by name.
export const screens = Object.entries({
  laptop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, deviceScaleFactor: 2 },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
});

/// Chromium without a window and without talk to anybody.
export function openBrowser() {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/// A page, with what went wrong on it and what it asked for beside itself (and `ours`, the address
/// of its server).
export async function openPage(browser, address, { ours, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url() !== address && !(ours && request.url().startsWith(ours))) faults.push(`asks for ${request.url()}`);
  });
  await page.goto(address);
  return { page, faults, close: () => context.close() };
}
