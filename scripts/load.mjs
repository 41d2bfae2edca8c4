#!/usr/bin/env node
// Load on `bough serve`, and whether it stands it: many connections that mix tasks, bad requests,
// slow clients and clients that go away; each answer is compared with the one that the same question
// got alone, and the server's memory is watched. With --long: how long short requests take while a
// long one is under way, and without it.
//
//     scripts/load.mjs --model DIR [--model DIR …] [--connections 64] [--seconds 60] [--faults 0.1]
//                      [--words 20] [--task generate …] [--sentences 3] [--temperature X] [--long]
//                      [-- options of bough serve]
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import net from "node:net";
import { parseArgs } from "node:util";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: "string", multiple: true, default: [] },
    connections: { type: "string", default: "64" },
    seconds: { type: "string", default: "60" },
    faults: { type: "string", default: "0.1" },    // share of bad, slow and abandoned requests
    words: { type: "string", default: "20" },      // most words of a sentence
    sentences: { type: "string", default: "3" },   // most that a request asks for
    temperature: { type: "string" },               // none: the models' own
    task: { type: "string", multiple: true, default: ["generate", "complete", "reorder", "translate", "score"] },
    long: { type: "boolean", default: false },
  },
});
const [connections, seconds, faulty, most, sentencesEach] =
  ["connections", "seconds", "faults", "words", "sentences"].map((name) => Number(options[name]));
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

// The bytes of a request.
const post = (path, body) => Buffer.concat([
  Buffer.from(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`),
  Buffer.from(body),
]);

// A connection that stays open, with one request at a time. It reads just enough of HTTP: the driver
// shares the machine with the server, and Node's own client costs several times as much.
class Connection {
  ask(request) {
    return new Promise((resolve, reject) => {
      this.answered = resolve;
      this.failed = reject;
      this.read = Buffer.alloc(0);
      this.whole = Infinity;  // bytes of the answer
      if (!this.socket || this.socket.destroyed) this.open();
      this.socket.write(request);
    });
  }

  open() {
    this.socket = net.connect({ port, host: "127.0.0.1", noDelay: true });
    this.socket.on("data", (data) => this.take(data));
    this.socket.on("error", (error) => this.failed?.(error));
    this.socket.on("close", () => this.failed?.(new Error("the server has closed the connection")));
  }

  take(data) {
    this.read = this.read.length ? Buffer.concat([this.read, data]) : data;
    if (this.whole === Infinity) {
      const end = this.read.indexOf("\r\n\r\n") + 4;
      if (end < 4) return;
      this.head = this.read.latin1Slice(0, end);
      this.begin = end;
      this.whole = end + Number(/content-length: (\d+)/i.exec(this.head)[1]);
    }
    if (this.read.length < this.whole) return;
    this.failed = null;
    if (/connection: close/i.test(this.head)) this.close();
    this.answered({ status: Number(this.head.slice(9, 12)), body: this.read.subarray(this.begin, this.whole) });
  }

  close() {
    this.failed = null;
    this.socket?.destroy();
  }
}

const memory = () => Number(readFileSync(`/proc/${server.pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1]) / 1024;
const pick = (list) => list[Math.floor(Math.random() * list.length)];
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const at = (list, share) => Number([...list].sort((a, b) => a - b)[Math.floor(share * (list.length - 1))].toFixed(1));
const figures = (times, took) => ({ per_second: Number((times.length / took).toFixed(1)), p50_ms: at(times, 0.5), p99_ms: at(times, 0.99) });
const served = (await (await fetch(`http://127.0.0.1:${port}/v1/models`)).json()).data;
let wrong = false;

// ---- many questions, good and bad

// Each with what it is answered alone.
async function questions(alone) {
  const all = [];
  for (const { id: model, verbs } of served) {
    const takes = (verb) => verbs.includes(verb) && options.task.includes(verb);
    for (let seed = 1; seed <= 25; ++seed) {
      const common = { model, seed, max_length: most, ...(options.temperature && { temperature: Number(options.temperature) }) };
      if (takes("generate")) all.push(["/generate", { ...common, n: 1 + (seed % sentencesEach) }]);
      if (takes("complete")) all.push(["/complete", { ...common, must: "i" }]);
      if (takes("reorder")) all.push(["/reorder", { ...common, words: "a dog the sees ." }]);
      if (takes("translate")) all.push(["/translate", { ...common, decode: "sample", source: "Wo ist der Bahnhof?" }]);
      if (seed % 5 === 0 && takes("score")) all.push(["/score", { model, seed, text: "i like my dog .", samples: 16, ...(verbs.includes("translate") && { source: "Ich mag meinen Hund." }) }]);
    }
  }
  const connection = new Connection();
  const asked = [];
  for (const [path, body] of all) {
    const request = post(path, JSON.stringify(body));
    const start = performance.now();
    const { status, body: expected } = await connection.ask(request);
    alone.push(performance.now() - start);
    if (status !== 200) throw new Error(`${path} ${JSON.stringify(body)}: ${expected}`);
    asked.push({ request, expected, sentences: JSON.parse(expected).results.length });
  }
  connection.close();
  return asked;
}

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

async function mix() {
  const alone = [];
  const asked = await questions(alone);
  const count = { answers: 0, wrong: 0, refused: 0, bad: 0, large: 0, abandoned: 0, slow: 0, surprising: 0 };
  const times = [];
  let sentences = 0;
  const bad = ["{", "[]", '{"tempe": 1}', '{"n": -1}', Buffer.from([0x22, 0xff, 0x22])].map((body) => post("/generate", body));
  const large = post("/generate", " ".repeat(1_500_000));
  const refusal = async (own, request, expected, name) => {
    const { status } = await own.ask(request);
    if (status !== expected) throw new Error(`a ${name} request was answered with ${status}, not ${expected}`);
    ++count[name];
  };
  const faults = [
    (own) => refusal(own, pick(bad), 400, "bad"),
    (own) => refusal(own, large, 413, "large"),
    async () => { await raw(JSON.stringify({ n: 100, min_length: 100 }), 30, true); ++count.abandoned; },
    async () => { await raw("{}", 500, false); ++count.slow; },
  ];
  const end = performance.now() + 1000 * seconds;
  const keepAsking = async () => {
    const own = new Connection();
    while (performance.now() < end) {
      try {
        if (Math.random() < faulty) {
          await pick(faults)(own);
          continue;
        }
        const one = pick(asked);
        const start = performance.now();
        const answer = await own.ask(one.request);
        if (answer.status === 429) {
          ++count.refused;
          await pause(100);
          continue;
        }
        times.push(performance.now() - start);
        ++count.answers;
        sentences += one.sentences;
        if (!answer.body.equals(one.expected)) ++count.wrong;
      } catch (error) {
        ++count.surprising;
        console.error(String(error));
      }
    }
    own.close();
  };
  const sizes = [memory()];
  const watch = setInterval(() => sizes.push(memory()), 1000 * seconds / 10);
  await Promise.all(Array.from({ length: connections }, keepAsking));
  clearInterval(watch);
  wrong = count.wrong > 0 || count.surprising > 0;
  return {
    ...count,
    sentences_per_second: Number((sentences / seconds).toFixed(1)),
    ...figures(times, seconds),
    alone: figures(alone, alone.reduce((a, b) => a + b) / 1000),
    memory_mb: sizes.map((size) => Math.round(size)),
  };
}

// ---- short ones beside a long one

async function beside() {
  const { id: model } = served.find(({ verbs }) => verbs.includes("generate"));
  const short = post("/generate", JSON.stringify({ model, decode: "greedy", max_length: most }));
  const longOnes = {
    without: null,
    sentences: post("/generate", JSON.stringify({ model, n: 256, min_length: 150, max_length: 200 })),
    beam: post("/complete", JSON.stringify({ model, template: Array(256).fill("<blank:80-90>"), beam_size: 10 })),
  };
  const found = {};
  const rounds = 3;
  const slice = seconds / rounds / Object.keys(longOnes).length;
  for (let round = 0; round < rounds; ++round) {
    for (const [name, long] of Object.entries(longOnes)) {
      const times = (found[name] ??= []);
      let over = false;
      const other = new Connection();
      const asking = (async () => {
        while (long && !over) await other.ask(long).catch(() => {});
      })();
      await pause(500);
      const end = performance.now() + 1000 * slice;
      await Promise.all(Array.from({ length: connections }, async () => {
        const own = new Connection();
        while (performance.now() < end) {
          const start = performance.now();
          const { status } = await own.ask(short);
          times.push(performance.now() - start);
          if (status !== 200) wrong = true;
        }
        own.close();
      }));
      over = true;
      other.failed?.();
      other.close();
      await asking;
      await pause(200);
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, times]) => [name, figures(times, slice * rounds)]));
}

console.log(JSON.stringify({ connections, seconds, ...(options.long ? await beside() : await mix()) }, null, 1));
server.removeAllListeners("exit");
const ended = new Promise((resolve) => server.on("exit", resolve));
server.kill("SIGTERM");
const code = await ended;
if (code !== 0 || wrong) {
  console.error(`the server ended with ${code}: ${said}`);
  process.exitCode = 1;
}
