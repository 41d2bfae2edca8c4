#!/usr/bin/env node
// Load on `bough serve`, and whether it stands it: many connections that mix tasks, bad requests,
// slow clients and clients that go away; each answer is compared with the one that the same question
// got alone, and the server's memory is watched.
//
//     scripts/load.mjs --model DIR [--model DIR …] [--connections 64] [--seconds 60]
//                      [--faults 0.1] [--words 20] [--task generate …] [-- options of bough serve]
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { parseArgs } from "node:util";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: "string", multiple: true, default: [] },
    connections: { type: "string", default: "64" },
    seconds: { type: "string", default: "60" },
    faults: { type: "string", default: "0.1" },  // share of bad, slow and abandoned requests
    words: { type: "string", default: "20" },    // most words of a sentence
    task: { type: "string", multiple: true, default: ["generate", "complete", "reorder", "translate", "score"] },
  },
});
const program = process.env.BOUGH ?? "build/bough";
const models = options.model.flatMap((folder) => ["--model", folder]);
const port = await new Promise((resolve) => {
  const probe = net.createServer().listen(0, "127.0.0.1", () => {
    const { port: free } = probe.address();
    probe.close(() => resolve(free));
  });
});
const server = spawn(program, ["serve", "--port", String(port), "--quiet", ...models, ...positionals],
                     { stdio: ["ignore", "ignore", "pipe"] });
let said = "";
server.stderr.on("data", (data) => (said += data));
server.on("exit", (code) => {
  console.error(`the server has ended with ${code}: ${said}`);
  process.exit(1);
});
const health = () => fetch(`http://127.0.0.1:${port}/health`).then((answer) => answer.ok, () => false);
while (!(await health())) await new Promise((resolve) => setTimeout(resolve, 100));

const agent = new http.Agent({ keepAlive: true, maxSockets: Number(options.connections) });
function post(path, body) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, path, method: "POST", agent,
                                   headers: { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) } },
      (answer) => {
        const parts = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("end", () => resolve({ status: answer.statusCode, body: Buffer.concat(parts).toString() }));
        answer.on("error", reject);
      });
    request.on("error", reject);
    request.end(body);
  });
}

const memory = () => Number(readFileSync(`/proc/${server.pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1]) / 1024;

// ---- questions, and what each is answered alone

const served = (await (await fetch(`http://127.0.0.1:${port}/v1/models`)).json()).data;
const most = Number(options.words);
const questions = [];
for (const { id: model, verbs: all } of served) {
  const verbs = all.filter((verb) => options.task.includes(verb));
  for (let seed = 1; seed <= 25; ++seed) {
    const common = { model, seed, max_length: most };
    if (verbs.includes("generate")) questions.push(["/generate", { ...common, n: 1 + (seed % 3) }]);
    if (verbs.includes("complete")) questions.push(["/complete", { ...common, must: "i" }]);
    if (verbs.includes("reorder")) questions.push(["/reorder", { ...common, words: "a dog the sees ." }]);
    if (verbs.includes("translate")) questions.push(["/translate", { ...common, decode: "sample", source: "Wo ist der Bahnhof?" }]);
    if (seed % 5 === 0 && verbs.includes("score")) questions.push(["/score", { model, seed, text: "i like my dog .", samples: 16, ...(all.includes("translate") && { source: "Ich mag meinen Hund." }) }]);
  }
}
const asked = [];
const alone = [];
for (const [path, body] of questions) {
  const text = JSON.stringify(body);
  const start = performance.now();
  const answer = await post(path, text);
  alone.push(performance.now() - start);
  if (answer.status !== 200) throw new Error(`${path} ${text}: ${answer.body}`);
  asked.push({ path, text, expected: answer.body, sentences: JSON.parse(answer.body).results.length });
}

// ---- load

const count = { answers: 0, wrong: 0, refused: 0, bad: 0, large: 0, abandoned: 0, slow: 0, surprising: 0 };
const times = [];
let sentences = 0;
const pick = (list) => list[Math.floor(Math.random() * list.length)];
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A connection of its own that sends a part, waits, and perhaps goes away.
function raw(text, wait, gone) {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", async () => {
      const head = `POST /generate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n`;
      socket.write(head + text.slice(0, gone ? text.length : 3));
      await pause(wait);
      if (gone) return socket.destroy();
      socket.write(text.slice(3));
    });
    socket.on("data", () => {});
    socket.on("error", () => {});
    socket.on("close", resolve);
  });
}

const faults = [
  async () => { count.bad += (await post("/generate", pick(["{", "[]", '{"tempe": 1}', '{"n": -1}', "\xff"]))).status === 400 ? 1 : 0; },
  async () => { count.large += (await post("/generate", " ".repeat(1_500_000))).status === 413 ? 1 : 0; },
  async () => { await raw(JSON.stringify({ n: 100, min_length: 100 }), 30, true); ++count.abandoned; },
  async () => { await raw("{}", 500, false); ++count.slow; },
];

const end = performance.now() + 1000 * Number(options.seconds);
async function connection() {
  while (performance.now() < end) {
    try {
      if (Math.random() < Number(options.faults)) {
        await pick(faults)();
        continue;
      }
      const one = pick(asked);
      const start = performance.now();
      const answer = await post(one.path, one.text);
      if (answer.status === 429) {
        ++count.refused;
        await pause(100);
        continue;
      }
      times.push(performance.now() - start);
      ++count.answers;
      sentences += one.sentences;
      if (answer.body !== one.expected) ++count.wrong;
    } catch (error) {
      ++count.surprising;
      console.error(String(error));
    }
  }
}
const sizes = [memory()];
const watch = setInterval(() => sizes.push(memory()), 1000 * Number(options.seconds) / 10);
await Promise.all(Array.from({ length: Number(options.connections) }, connection));
clearInterval(watch);

const at = (list, share) => [...list].sort((a, b) => a - b)[Math.floor(share * (list.length - 1))].toFixed(1);
const mean = alone.reduce((a, b) => a + b) / alone.length;
console.log(JSON.stringify({
  connections: Number(options.connections),
  seconds: Number(options.seconds),
  ...count,
  sentences_per_second: Number((sentences / Number(options.seconds)).toFixed(1)),
  per_second: Number((count.answers / Number(options.seconds)).toFixed(1)),
  p50_ms: Number(at(times, 0.5)),
  p99_ms: Number(at(times, 0.99)),
  alone: { per_second: Number((1000 / mean).toFixed(1)), p50_ms: Number(at(alone, 0.5)), p99_ms: Number(at(alone, 0.99)) },
  memory_mb: sizes.map((size) => Math.round(size)),
}, null, 1));
server.removeAllListeners("exit");
const ended = new Promise((resolve) => server.on("exit", resolve));
server.kill("SIGTERM");
const code = await ended;
if (code !== 0 || count.wrong > 0 || count.surprising > 0) {
  console.error(`the server ended with ${code}: ${said}`);
  process.exitCode = 1;
}
agent.destroy();
