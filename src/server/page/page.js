// The page of `bough serve`: asks the server, shows trees as they grow, and lets a reader change
// them. Trees are drawn by the server and brought to life by the report's script (liven).
"use strict";

const $ = (id) => document.getElementById(id);
const kTasks = {
  generate: { name: "Write sentences" },
  complete: { name: "Complete", field: "template", label: "Sentence with gaps: ___ is any number of words, <blank:1-3> one to three", sample: "___ favorite ___ food ___ !" },
  reorder: { name: "Put words in order", field: "words", label: "Words, in any order", sample: "depot father for home my to used work ." },
  translate: { name: "Translate", field: "source", label: "Sentence to translate", sample: "Wie geht es dir?" },
  score: { name: "How likely is it?", field: "text", label: "Sentence", sample: "the dog barks ." },
};
let models = [];
let running = null;  // what can be stopped

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// ---- asking

// What browsers say of a connection that fails, each in words of its own.
async function reach(answer) {
  try {
    return await answer;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server can't be reached. Is it still running?");
  }
}

async function call(path, body) {
  const key = sessionStorage.getItem("bough-key");
  const headers = { "Content-Type": "application/json" };
  if (key) headers.Authorization = `Bearer ${key}`;
  const answer = await reach(fetch(path, {
    method: body ? "POST" : "GET",
    headers,
    body: body && JSON.stringify(body),
    signal: body && running?.signal,
  }));
  if (answer.status === 401) $("key-field").hidden = false;
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => null);  // a proxy's errors are pages
  const error = new Error(said?.error?.message ?? `The server answered ${answer.status}.`);
  throw Object.assign(error, { status: answer.status });
}

// Hands on the events of a stream.
async function listen(path, body, take) {
  const reader = (await call(path, body)).body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { value, done } = await reach(reader.read());
    if (done) return;
    buffer += value;
    const events = buffer.split("\n\n");
    buffer = events.pop();
    for (const event of events) {
      const data = JSON.parse(event.slice("data: ".length));
      if (data.op === "error") throw new Error(data.error.message);
      take(data);
    }
  }
}

function say(text, wrong = false) {
  $("status").textContent = text;
  $("status").classList.toggle("wrong", wrong);
}

// ---- words that can be moved

// Lets children of `box` that match be taken to another place among all of them: dragged by mouse or
// finger, or with Shift and the arrow keys. `move(from, to)` does it.
function sortable(box, matching, move) {
  let drag = null;
  const backwards = () => getComputedStyle(box).direction === "rtl";

  // Before which child a point is: of the nearest one, lines first.
  function placeAt(x, y) {
    let nearest = { distance: Infinity };
    [...box.children].forEach((child, i) => {
      const { left, right, top, bottom } = child.getBoundingClientRect();
      const distance = Math.max(left - x, 0, x - right) + 8 * Math.max(top - y, 0, y - bottom);
      if (child === drag.item || distance >= nearest.distance) return;
      nearest = { distance, place: i + ((x > (left + right) / 2) === backwards() ? 0 : 1) };
    });
    return nearest.place ?? 0;
  }

  function show(place) {
    const { length } = box.children;
    const [before, after] = backwards() ? ["drop-after", "drop-before"] : ["drop-before", "drop-after"];
    [...box.children].forEach((child, i) => {
      child.classList.toggle(before, i === place);
      child.classList.toggle(after, place === length && i === length - 1);
    });
  }

  function end() {
    drag.item.classList.remove("dragged");
    drag.ghost?.remove();
    show(-1);
    drag = null;
  }

  function take(from, to) {
    if (from !== to) {
      move(from, to);
      say(`'${box.children[to].textContent}' is now at place ${to + 1} of ${box.children.length}`);
    }
    box.children[to].focus({ preventScroll: true });
  }

  box.addEventListener("pointerdown", (event) => {
    const item = event.target.closest(matching);
    if (!item || event.button !== 0 || drag) return;
    const { left, top } = item.getBoundingClientRect();
    drag = { item, pointer: event.pointerId, x: event.clientX, y: event.clientY, left, top };
    item.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (drag?.pointer !== event.pointerId) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.ghost) {
      if (Math.hypot(x, y) < 5) return;  // a click that trembles
      drag.ghost = drag.item.cloneNode(true);
      drag.ghost.classList.add("ghost");
      document.body.append(drag.ghost);
      drag.item.classList.add("dragged");
    }
    Object.assign(drag.ghost.style, { left: `${drag.left + x}px`, top: `${drag.top + y}px` });
    drag.place = placeAt(event.clientX, event.clientY);
    show(drag.place);
  });
  box.addEventListener("pointerup", (event) => {
    if (drag?.pointer !== event.pointerId) return;
    const { item, place } = drag;
    end();
    if (place === undefined) return;
    const from = [...box.children].indexOf(item);
    take(from, place > from ? place - 1 : place);
  });
  box.addEventListener("pointercancel", () => drag && end());
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drag) return end();
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const item = event.target.closest(matching);
    if (!item || !by) return;
    event.preventDefault();
    const from = [...box.children].indexOf(item);
    const to = from + (backwards() ? -by : by);
    if (to < 0 || to >= box.children.length) return;
    if (event.shiftKey) take(from, to);
    else box.children[to].focus();
  });
}

function moved(list, from, to) {
  const rest = list.filter((_, i) => i !== from);
  rest.splice(to, 0, list[from]);
  return rest;
}

// ---- the form

const verbsOf = (name) => models.find((model) => model.id === name)?.verbs ?? [];

function fill(select, values, chosen) {
  select.replaceChildren(...values.map(([value, text]) => make("option", { value, textContent: text })));
  if (values.some(([value]) => value === chosen)) select.value = chosen;
}

// The fields that go with the task.
function showTask() {
  const task = $("task").value;
  const fitting = models.filter((model) => model.verbs.includes(task)).map((model) => [model.id, model.id]);
  fill($("model"), fitting, $("model").value);
  fill($("other"), [["", "no other model"], ...fitting], $("other").value);
  const { field, label, sample } = kTasks[task] ?? {};
  $("text-field").hidden = !field;
  $("text-label").textContent = label ?? "";
  $("text").placeholder = sample ?? "";
  $("must-field").hidden = task !== "complete";
  $("count-field").hidden = !["generate", "complete"].includes(task);
  $("temperature-field").hidden = task === "score";
  $("grow").textContent = task === "score" ? "Score" : "Grow";
  showSource();
  showChips();
}

// A translation is likely or not as that of something.
const needsSource = (task, name) => task === "score" && verbsOf(name).includes("translate");

function showSource() {
  $("source-field").hidden = !["model", "other"].some((name) => needsSource($("task").value, $(name).value));
}

// The words of a template or a bag; a tree has its own form.
const parts = () => {
  const text = $("text").value.trim();
  return text === "" || text.startsWith("{") ? [] : text.split(/\s+/);
};

function showChips() {
  $("chips-field").hidden = !["complete", "reorder"].includes($("task").value) || parts().length === 0;
  $("chips").replaceChildren(...parts().map((part) =>
    make("button", { type: "button", textContent: part, className: /^(_{3,}|<blank.*)$/.test(part) ? "chip gap" : "chip" })));
}

// The task first: the models depend on it.
const kFields = ["task", "model", "other", "source", "text", "must", "count", "seed", "temperature"];

// The address says what was asked: opened again, it shows the same.
function saveAddress(changed = {}) {
  const asked = new URLSearchParams();
  for (const name of kFields) if ($(name).value && !$(name).closest("[hidden]")) asked.set(name, $(name).value);
  for (const [name, value] of Object.entries(changed)) asked.set(name, value);
  history.replaceState(null, "", `#${asked}`);
}

// Whether it asks for something. Throws where that isn't here, with another chosen.
function readAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const missing = [];
  for (const name of kFields) {
    const field = $(name);
    if (asked.has(name)) field.value = asked.get(name);
    if (field.selectedIndex === -1) {
      field.selectedIndex = 0;
      if (asked.has(name)) missing.push([asked.get(name), field.selectedOptions[0].textContent]);
    }
    if (name === "task") showTask();
  }
  showSource();
  showChips();
  if (missing.length === 0) return asked.has("task");
  const why = (name) => (models.some((model) => model.id === name) ? "can't do this" : "isn't served here");
  const lines = missing.map(([name, instead]) => `The link asks for '${name}', which ${why(name)}. Chosen instead: ${instead}.`);
  throw new Error([...lines, `${$("grow").textContent} goes on with that.`].join(" "));
}

function request(task, model) {
  const body = { model, seed: Number($("seed").value) };
  if (needsSource(task, model)) body.source = $("source").value;
  if (task === "score") return { ...body, text: $("text").value, by_word: true };
  Object.assign(body, { stream: true, draw: true, alternatives: 6 });
  const temperature = $("temperature").value;  // none: the model's usual
  if (temperature) Object.assign(body, { temperature: Number(temperature), decode: "sample" });
  if (task === "reorder") body.exact = true;
  if (["generate", "complete"].includes(task)) body.n = Number($("count").value);
  if (task === "complete" && $("must").value.trim()) body.must = $("must").value;
  else if (kTasks[task].field) body[kTasks[task].field] = $("text").value;
  return body;
}

// ---- a tree

// What people read of tokens: joiners say where there is no space.
const shown = (token) => token.replaceAll("￭", "");
const between = (token, next) => (token.endsWith("￭") || next.startsWith("￭") ? "" : " ");

const probability = (logprob) => (logprob === null ? 0 : Math.exp(logprob));

// What the report's script reads of a word.
const described = (node) => ({
  word: shown(node.token),
  p: probability(node.logprob),
  entropy: node.entropy,
  others: (node.alternatives ?? []).map((other) => [shown(other.token), probability(other.logprob)]),
});

// All of a tree at once, as long as its words can be read.
function parseSvg(text) {
  const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  svg.style.maxWidth = `max(100%, ${0.6 * svg.width.baseVal.value}px)`;
  svg.style.maxHeight = `max(100%, ${0.6 * svg.height.baseVal.value}px)`;
  return svg;
}

function download(name, type, text) {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
  link.click();
  URL.revokeObjectURL(link.href);
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    prompt("Copy:", text);
  }
}

// The tree as a template in which node `open` is to be grown again, from `word` if there is one.
function seedTree(nodes, open, word) {
  const build = (node) => {
    if (node.id === open) return word === undefined ? null : { token: word };
    const child = (side) => {
      const below = nodes.find((other) => other.parent === node.id && other.side === side);
      return below ? build(below) : "<end>";
    };
    return { token: node.token, left: child("left"), right: child("right") };
  };
  return build(nodes[0]);
}

// Locked words as they stand now; those that stand side by side stay so.
function lockedTemplate({ trace, locked, order }) {
  const parts = [];
  for (const id of order) {
    if (locked.has(id)) parts.push(trace.nodes[id].token);
    else if (parts.at(-1) !== "___") parts.push("___");
  }
  return parts.join(" ");
}

class TreeView {
  constructor(model, task) {
    this.model = model;
    this.task = task;
    this.locked = new Set();
    this.words = make("div", { className: "words", dir: "auto" });
    this.figure = make("figure", { className: "scroll" });
    this.others = make("div", { className: "others" });
    this.others.setAttribute("aria-live", "polite");
    this.element = make("section", { className: "tree" }, this.words, this.controls(),
      make("div", { className: "stage" }, this.figure, this.others));
    this.tokens = [];
    // Only what can be completed can be changed.
    this.element.classList.toggle("changes", verbsOf(model).includes("complete"));
  }

  controls() {
    const button = (text, act, label) => {
      const element = make("button", { type: "button", textContent: text, disabled: true });
      element.dataset.do = act;
      if (label) element.setAttribute("aria-label", label);
      return element;
    };
    this.slider = make("input", { type: "range", min: 0, value: 0, disabled: true });
    this.slider.setAttribute("aria-label", "actions shown");
    const row = make("div", { className: "controls" }, button("Play", "play"),
      button("◀", "back", "one step back"), button("▶", "forward", "one step on"), this.slider, make("output"),
      button("Copy", "copy"), button("SVG", "svg"), button("JSON", "json"),
      button("Regrow around locked words", "relock"));
    row.addEventListener("click", ({ target }) => this.act(target.dataset.do));
    return row;
  }

  act(what) {
    if (what === "copy") copy(this.trace.text, "sentence");
    if (what === "svg") download("tree.svg", "image/svg+xml", this.svg);
    if (what === "json") download("trace.json", "application/json", JSON.stringify(this.trace, null, 1));
    if (what === "relock") this.regrow(lockedTemplate(this));
  }

  insert({ index, token, svg }) {
    this.tokens.splice(index, 0, token);
    this.words.textContent = this.tokens.reduce(
      (text, token, i) => text + (i ? between(this.tokens[i - 1], token) : "") + shown(token), "");
    if (svg) this.figure.replaceChildren(parseSvg(svg));
  }

  // All is there: from now on the reader can replay it and change it.
  finish(trace) {
    const { svg, ...rest } = trace;
    this.trace = rest;
    this.svg = svg;
    this.figure.replaceChildren(parseSvg(svg));
    this.spans = rest.nodes.map((node) => {
      const word = make("span", { textContent: shown(node.token) });
      word.dataset.step = node.step;
      return word;
    });
    this.order = rest.nodes.map(({ id }) => id).sort((a, b) => rest.nodes[a].position - rest.nodes[b].position);
    this.showWords();
    sortable(this.words, ".locked", (from, to) => {
      this.order = moved(this.order, from, to);
      this.showWords();
    });
    this.element.dataset.steps = rest.actions.length;
    this.slider.max = rest.actions.length;
    const data = make("script", { type: "application/json", textContent: JSON.stringify(rest.nodes.map(described)) });
    this.element.append(data);
    for (const control of this.element.querySelectorAll(":disabled")) control.disabled = false;
    this.element.querySelector("[data-do=relock]").disabled = true;
    liven(this.element);
    this.figure.addEventListener("click", ({ target }) => {
      if (!target.closest(".word")) delete this.others.dataset.chosen;
    });
    if (!this.element.matches(".changes")) return;
    for (const word of this.figure.querySelectorAll(".word")) {
      const node = rest.nodes[Number(word.dataset.node)];
      word.setAttribute("role", "button");
      word.addEventListener("click", () => this.choose(node));
      word.addEventListener("dblclick", () => this.regrow(seedTree(rest.nodes, node.id)));
      word.addEventListener("keydown", (event) => {
        if (!["Enter", " "].includes(event.key)) return;
        event.preventDefault();  // else the key scrolls, or presses what gets the focus
        this.choose(node, true);
      });
    }
  }

  // What can be done at a word, below what else could have stood there.
  choose(node, byKey = false) {
    const { nodes } = this.trace;
    this.others.dataset.chosen = node.id;
    const regrow = make("button", { type: "button", textContent: "Regrow from here" });
    regrow.addEventListener("click", () => this.regrow(seedTree(nodes, node.id)));
    const lock = make("button", { type: "button" });
    const hint = make("small", { textContent: "It can be dragged to another place in the sentence." });
    const showLock = () => {
      lock.textContent = this.locked.has(node.id) ? "Unlock" : "Lock";
      hint.hidden = !this.locked.has(node.id);
    };
    showLock();
    lock.addEventListener("click", () => {
      if (!this.locked.delete(node.id)) this.locked.add(node.id);
      showLock();
      this.showLocked();
    });
    this.others.querySelector("b")?.after(make("div", { className: "acts" }, regrow, lock, hint));
    for (const [i, item] of [...this.others.querySelectorAll("li")].entries()) {
      const other = node.alternatives[i].token;
      if (other === "<end>" || other.startsWith("<")) continue;
      const put = make("button", { type: "button", title: `put '${other}' here and regrow` }, ...item.childNodes);
      put.addEventListener("click", () => this.regrow(seedTree(nodes, node.id, other)));
      item.append(put);
    }
    if (byKey) regrow.focus();
  }

  // The sentence; words that are locked may have been moved in it.
  showWords() {
    const { nodes } = this.trace;
    this.words.replaceChildren(...this.order.flatMap((id, i) =>
      i ? [between(nodes[this.order[i - 1]].token, nodes[id].token), this.spans[id]] : [this.spans[id]]));
  }

  showLocked() {
    for (const word of this.figure.querySelectorAll(".word")) {
      word.classList.toggle("locked", this.locked.has(Number(word.dataset.node)));
    }
    this.spans.forEach((span, id) => {
      const locked = this.locked.has(id);
      span.classList.toggle("locked", locked);
      span.title = locked ? "Drag it to another place, or move it with Shift and the arrow keys" : "";
      if (locked) span.tabIndex = 0;
      else span.removeAttribute("tabindex");
    });
    this.element.querySelector("[data-do=relock]").disabled = this.locked.size === 0;
  }

  // In its own place, with the next seed. Where nothing comes of it, all is as before.
  async regrow(template) {
    const seed = $("seed").value;
    const address = location.href;
    const pressed = this.element.querySelector("button:focus");
    $("seed").value = Number(seed) + 1;
    const view = new TreeView(this.model, "complete");
    this.element.replaceWith(view.element);
    const path = template === null ? "generate" : "complete";
    const body = { model: this.model, seed: Number($("seed").value), stream: true, draw: true, alternatives: 6 };
    if (template !== null) body.template = template;
    const text = typeof template === "string" ? template : JSON.stringify(template ?? "");
    saveAddress({ task: path, model: this.model, other: "", text, must: "", count: 1, temperature: "" });
    const latest = await work(async () => {
      await listen(path, body, (event) => (event.op === "insert" ? view.insert(event) : view.finish(event.trace)));
      if (!view.trace) throw new Error("The server's answer broke off.");
    });
    if (!view.trace) view.element.replaceWith(this.element);
    if (!latest) return;
    if (!view.trace) {
      $("seed").value = seed;
      history.replaceState(null, "", address);
    }
    // The focus went with what was pressed, unless the reader has taken it elsewhere.
    if (!document.activeElement.matches("body, :disabled")) return;
    const next = view.trace ? view.element : this.element;
    (next.contains(pressed) ? pressed : next.querySelector("[data-do=play]")).focus({ preventScroll: true });
  }
}

// ---- answers

function showScores(section, { results }) {
  for (const scored of results) {
    const line = make("p", { className: "sentence" }, make("b", { textContent: scored.perplexity.toFixed(1) }));
    for (const word of scored.by_word) {
      const span = make("span", { className: word.without >= 0 ? "costs" : "saves", title: `${word.without.toFixed(2)} nats`, dir: "auto" }, shown(word.token));
      span.style.setProperty("--strength", 0.6 * Math.min(1, Math.abs(word.without) / 10));
      if (word.other) {
        span.append(make("small", { className: word.with_other > 0 ? "odd" : "", textContent: `${shown(word.other)} ${word.with_other.toFixed(1)}` }));
      }
      line.append(span);
    }
    section.append(line, make("p", { className: "note", textContent:
      `Perplexity ${scored.perplexity.toFixed(2)}, log-likelihood ${scored.logprob.toFixed(2)} nats. Without a word in orange the sentence would be likelier, without a blue one less likely. Below each is the best other word, with what it would change, in nats.` }));
  }
}

async function ask(task, model, section) {
  const body = request(task, model);
  if (task === "score") {
    showScores(section, await (await call(task, body)).json());
    return;
  }
  const views = Array.from({ length: body.n ?? 1 }, () => new TreeView(model, task));
  section.append(...views.map((view) => view.element));
  try {
    await listen(task, body, (event) => {
      const view = views[event.result];
      if (event.op === "insert") view.insert(event);
      else view.finish(event.trace);
    });
  } finally {
    for (const view of views) if (view.tokens.length === 0) view.element.remove();
  }
}

// One thing at a time; what is asked anew ends what is under way. Whether nothing was.
async function work(what) {
  running?.abort();
  const own = (running = new AbortController());
  $("stop").disabled = false;
  say("growing …");
  try {
    await what();
    if (running === own) say("done");
  } catch (error) {
    if (running === own) say(error.name === "AbortError" ? "stopped" : error.message, error.name !== "AbortError");
  } finally {
    if (running === own) $("stop").disabled = true;
  }
  return running === own;
}

function grow() {
  if (models.length === 0) return start();
  const task = $("task").value;
  saveAddress();
  const chosen = [$("model").value, $("other").value].filter(Boolean);
  const sections = chosen.map((name) => make("section", {}, make("h2", { textContent: name })));
  $("results").replaceChildren(...sections);
  return work(() => Promise.all(chosen.map((name, i) => ask(task, name, sections[i]))));
}

// Does what the address says.
function follow() {
  try {
    if (readAddress()) grow();
  } catch (error) {
    work(() => Promise.reject(error));
  }
}

let waiting = 0;  // for the server to be ready

async function start() {
  clearTimeout(waiting);
  try {
    models = (await (await call("v1/models")).json()).data;
  } catch (error) {
    const early = [502, 503, 504].includes(error.status);  // its own, or of a proxy before it
    if (!early) say(error.message, true);
    else if (!waiting) say("The server isn't ready yet: waiting …");
    waiting = early ? setTimeout(start, 1000) : 0;
    return;
  }
  waiting = 0;
  const tasks = Object.keys(kTasks).filter((task) => models.some((model) => model.verbs.includes(task)));
  fill($("task"), tasks.map((task) => [task, kTasks[task].name]));
  say("");
  follow();
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  grow();
});
$("task").addEventListener("change", showTask);
for (const name of ["model", "other"]) $(name).addEventListener("change", showSource);
$("text").addEventListener("input", showChips);
sortable($("chips"), ".chip", (from, to) => {
  $("text").value = moved(parts(), from, to).join(" ");
  showChips();
});
$("again").addEventListener("click", () => {
  $("seed").value = Number($("seed").value) + 1;
  grow();
});
$("stop").addEventListener("click", () => running?.abort());
$("link").addEventListener("click", () => copy(location.href, "link"));
for (const name of ["source", "text"]) {
  $(name).addEventListener("keydown", (event) => {
    const composing = event.isComposing || event.keyCode === 229;  // Safari says it by the code
    if (event.key === "Enter" && !event.shiftKey && !composing) {
      event.preventDefault();
      grow();
    }
  });
}
addEventListener("hashchange", () => {
  if (models.length === 0) return;  // start() follows it
  for (const name of kFields) $(name).value = $(name).defaultValue ?? "";
  follow();
});
$("key").addEventListener("change", () => {
  sessionStorage.setItem("bough-key", $("key").value);
  start();
});
start();
