// Trees that are written again, step by step.
"use strict";

// Makes a tree's controls and words work; the server's page calls it for trees of its own.
function liven(tree) {
  const steps = Number(tree.dataset.steps);
  const slider = tree.querySelector("input");
  const output = tree.querySelector("output");
  const play = tree.querySelector("[data-do=play]");
  const others = tree.querySelector(".others");
  const nodes = JSON.parse(tree.querySelector("script").textContent);
  const parts = [...tree.querySelectorAll("[data-step]")];
  let timer = 0;

  // After `done` steps the words of steps 0 … done - 1 are there.
  function show(done) {
    slider.value = done;
    for (const part of parts) {
      const step = Number(part.dataset.step);
      part.classList.toggle("hidden", step >= done);
      part.classList.toggle("new", step === done - 1 && done < steps);
    }
    output.textContent = `${done} of ${steps} actions`;
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }

  function step(by) {
    stop();
    show(Math.min(steps, Math.max(0, Number(slider.value) + by)));
  }

  play.addEventListener("click", () => {
    if (timer) return stop();
    if (Number(slider.value) >= steps) show(0);
    play.textContent = "Pause";
    timer = setInterval(() => {
      const next = Number(slider.value) + 1;
      show(next);
      if (next >= steps) stop();
    }, 350);
  });
  tree.querySelector("[data-do=back]").addEventListener("click", () => step(-1));
  tree.querySelector("[data-do=forward]").addEventListener("click", () => step(1));
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });

  // What else could have stood there. Words are set as text, never as markup.
  function explain(node) {
    others.replaceChildren();
    const head = document.createElement("b");
    head.textContent = node.word;
    others.append(head);
    if (node.p === undefined) return;
    others.append(`  probability ${node.p.toPrecision(3)}, entropy ${node.entropy.toFixed(2)} nats`);
    if (!node.others) return;
    const list = document.createElement("ul");
    for (const [word, p] of node.others) {
      const item = document.createElement("li");
      const bar = document.createElement("span");
      bar.className = "bar";
      bar.style.width = `${Math.max(2, 160 * p)}px`;
      item.append(bar, `${word}  ${(100 * p).toFixed(1)} %`);
      list.append(item);
    }
    others.append(list);
  }
  for (const word of tree.querySelectorAll(".word")) {
    const node = nodes[Number(word.dataset.node)];
    word.setAttribute("tabindex", "0");
    for (const event of ["pointerenter", "focus", "click"]) {
      word.addEventListener(event, () => {
        // What a reader has chosen stays while the pointer passes over other words.
        if (event !== "pointerenter" || !others.dataset.chosen) explain(node);
      });
    }
  }
  show(steps);
}

for (const tree of document.querySelectorAll(".tree")) liven(tree);
