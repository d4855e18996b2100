// Plays the pictures of a note: each asks the module for its frames. Where something is missing the still picture stays.
(() => {
  "use strict";
  if (!("WebAssembly" in window) || !("DecompressionStream" in window)) return;
  const WHOLE = 12, SLOW = 1.5, REST = 0.99, SIZE = [720, 440];

  const unpack = async (id) => {
    const packed = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };
  let parts;
  const load = () => (parts ??= Promise.all([unpack("warpbook-module").then((bytes) => WebAssembly.compile(bytes)), unpack("warpbook-pack")]));

  // A module of its own for each picture: a question as JSON, an answer as JSON.
  const start = async () => {
    const [module, pack] = await load();
    const { push, answer, answer_of_panic, word } = (await WebAssembly.instantiate(module, {})).exports;
    const send = (bytes) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      let at = 0;
      for (; at + 4 <= bytes.length; at += 4) push(view.getUint32(at, true), 4);
      for (; at < bytes.length; at += 1) push(bytes[at], 1);
    };
    const read = (length) => {
      const words = new Uint32Array(Math.ceil(length / 4));
      for (let at = 0; at < words.length; at += 1) words[at] = word(4 * at);
      return new TextDecoder().decode(new Uint8Array(words.buffer, 0, length));
    };
    const ask = (question) => {
      send(typeof question === "string" ? new TextEncoder().encode(question) : question);
      try {
        return JSON.parse(read(answer()));
      } catch (error) {
        // A panic ends the module, and leaves its message.
        throw error instanceof WebAssembly.RuntimeError ? new Error(read(answer_of_panic()) || error.message) : error;
      }
    };
    ask(pack);
    return (question) => ask(JSON.stringify(question));
  };

  const element = (name, props, ...children) => {
    const made = Object.assign(document.createElement(name), props);
    made.append(...children);
    return made;
  };

  const play = async (figure, begin) => {
    const still = figure.querySelector("svg");
    begin.disabled = true;
    begin.textContent = "Starting…";
    await new Promise((resume) => setTimeout(resume, 30));
    const ask = await start();
    const { step, set } = JSON.parse(figure.dataset.plays);
    let opened = ask({ Open: { step, set } });
    if (opened.problems.length) throw new Error(opened.problems.join("; "));
    let at = opened.first + REST, playing = false, pointer = null, before = 0;

    const stage = element("div", { className: "stage" });
    const tip = element("p", { className: "tip" });
    const toggle = element("button", { type: "button" });
    const back = element("button", { type: "button", textContent: "‹", title: "One back" });
    const on = element("button", { type: "button", textContent: "›", title: "One on" });
    const slider = element("input", { type: "range", min: 0, step: 1 });
    slider.setAttribute("aria-label", "Position");
    const where = element("span", { className: "where" });
    const row = element("div", { className: "controls" }, back, toggle, on, slider, where);
    const settings = element("div", { className: "controls" });
    const code = element("textarea", { spellcheck: false, rows: 14 });
    code.setAttribute("aria-label", "The kernel");
    const trace = element("button", { type: "button", textContent: "Trace it again" });
    const undo = element("button", { type: "button", textContent: "As it was" });
    const counts = element("table");
    const said = element("div", { className: "said" });
    const editor = element("details", {}, element("summary", { textContent: "Edit the kernel" }), code,
      element("div", { className: "controls" }, trace, undo), said, counts);
    const last = () => Math.max(0, opened.ticks - 1) + REST;

    const draw = () => {
      const frame = ask({ Frame: { position: at, size: SIZE, pointer } });
      stage.innerHTML = frame.svg;
      tip.textContent = frame.tip ?? "";
      slider.value = Math.floor(at);
      where.textContent = opened.ticks ? `${Math.min(opened.ticks, Math.floor(at) + 1)} of ${opened.ticks}` : "";
      toggle.textContent = playing ? "Pause" : "Play";
    };
    const tick = (now) => {
      if (!playing) return;
      const pace = Math.max(opened.ticks / WHOLE, SLOW);
      at = Math.min(last(), at + pace * Math.min(0.1, (now - before) / 1000));
      before = now;
      playing = at < last();
      draw();
      requestAnimationFrame(tick);
    };
    const go = (to) => {
      playing = false;
      at = Math.min(last(), Math.max(REST, to));
      draw();
    };
    const show = () => {
      slider.max = Math.max(0, opened.ticks - 1);
      row.hidden = opened.ticks < 2;
      settings.replaceChildren(...opened.params.map((param) => {
        const choice = element("select", {}, ...param.values.map(([value, words]) =>
          element("option", { value, textContent: words, selected: value === param.value })));
        choice.onchange = () => change({ Set: { name: param.id, value: Number(choice.value) } });
        return element("label", {}, `${param.label} `, choice);
      }));
      editor.hidden = opened.kernel === null;
      counts.replaceChildren(element("tr", {}, ...["whole grid", "as it was", "now"].map((name) => element("th", { textContent: name }))),
        ...opened.counts.map((cells) => element("tr", {}, ...cells.map((text) => element("td", { textContent: text })))));
      said.replaceChildren(...opened.problems.map((text) => element("p", { className: "problem", textContent: text })),
        ...opened.findings.map((text) => element("p", { textContent: text })));
      at = Math.min(at, last());
      draw();
    };
    const change = (question) => {
      let answer;
      try {
        answer = ask(question);
      } catch (error) {
        figure.append(element("p", { className: "problem", textContent: `The page's tracer stopped: ${error.message}. Read the page again.` }));
        return;
      }
      // A kernel that does not compile leaves the picture as it is.
      opened = answer.problems.length ? { ...opened, problems: answer.problems, findings: [] } : answer;
      playing = false;
      show();
    };
    toggle.onclick = () => {
      if (!playing && at >= last()) at = 0;
      playing = !playing && opened.ticks > 0;
      before = performance.now();
      draw();
      requestAnimationFrame(tick);
    };
    back.onclick = () => go(Math.floor(at) - 1 + REST);
    on.onclick = () => go(Math.floor(at) + 1 + REST);
    slider.oninput = () => go(Number(slider.value) + REST);
    stage.onpointermove = (event) => {
      const room = stage.getBoundingClientRect();
      pointer = [(event.clientX - room.left) * SIZE[0] / room.width, (event.clientY - room.top) * SIZE[1] / room.height];
      if (!playing) draw();
    };
    stage.onpointerleave = () => {
      pointer = null;
      if (!playing) draw();
    };
    trace.onclick = () => change({ Edit: { source: code.value } });
    undo.onclick = () => {
      change({ Edit: { source: null } });
      code.value = opened.kernel;
    };
    code.value = opened.kernel ?? "";
    still.replaceWith(stage);
    begin.replaceWith(row);
    row.after(tip, settings, editor);
    show();
  };

  for (const figure of document.querySelectorAll("figure[data-plays]")) {
    const begin = element("button", { type: "button", className: "begin", textContent: "Play it here" });
    begin.onclick = () => play(figure, begin).catch((error) => {
      begin.replaceWith(element("p", { className: "problem", textContent: `This picture cannot play here: ${error.message}` }));
    });
    figure.querySelector("figcaption").before(begin);
  }
})();
