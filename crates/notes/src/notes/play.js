// Plays the pictures of a note or a site's page: each asks the module for its frames, in JSON. Where something is missing the still
// picture stays. A note has the module and its lesson within it, a site beside its pages.
(() => {
  "use strict";
  if (!("WebAssembly" in window) || !("DecompressionStream" in window)) return;
  const WHOLE = 12, SLOW = 1.5, REST = 0.99, WIDTHS = [440, 720], HEIGHT = 440, PATIENCE = 250;

  const root = document.documentElement.dataset.root;
  const packed = async (id, path) => {
    if (root === undefined) {
      return new Blob([Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) => c.charCodeAt(0))]).stream();
    }
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${path} is missing: ${response.status}`);
    return response.body;
  };
  const unpacked = async (id, path, type) => {
    const stream = (await packed(id, path)).pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream, { headers: { "Content-Type": type } });
  };
  let parts;
  const load = () => (parts ??= Promise.all([
    WebAssembly.compileStreaming(unpacked("warpbook-module", `${root}page.wasm.gz`, "application/wasm")),
    unpacked("warpbook-pack", "../pack.json.gz", "application/json").then((pack) => pack.arrayBuffer()).then((pack) => new Uint8Array(pack)),
  ]));

  // A worker of its own for each picture, so that the page goes on while it traces, and a kernel that does not end can be stopped.
  const work = () => {
    let ask;
    const begin = (module) => {
      const { push, answer, answer_of_panic, word } = new WebAssembly.Instance(module, {}).exports;
      const send = (question) => {
        const view = new DataView(question.buffer, question.byteOffset, question.length);
        let at = 0;
        for (; at + 4 <= question.length; at += 4) push(view.getUint32(at, true), 4);
        for (; at < question.length; at += 1) push(question[at], 1);
      };
      const read = (length) => {
        const words = new Uint32Array(Math.ceil(length / 4));
        for (let at = 0; at < words.length; at += 1) words[at] = word(4 * at);
        return new TextDecoder().decode(new Uint8Array(words.buffer, 0, length));
      };
      ask = (question) => {
        send(question);
        try {
          return JSON.parse(read(answer()));
        } catch (error) {
          // A panic ends the module, and leaves its message.
          throw error instanceof WebAssembly.RuntimeError ? new Error(read(answer_of_panic()) || error.message) : error;
        }
      };
    };
    onmessage = ({ data: { module, question } }) => {
      try {
        postMessage({ answer: module ? begin(module) : ask(question) });
      } catch (error) {
        postMessage({ problem: error.message });
      }
    };
  };

  // The tracer in its worker: `ask` gives a question as JSON and gets its answer, one after the other; `stop` ends the one that is asked.
  // A new worker is asked what `opening` gives, to come to where the former was.
  const tracer = async (opening) => {
    const [module, pack] = await load();
    const script = URL.createObjectURL(new Blob([`(${work})()`], { type: "text/javascript" }));
    let worker = null, refuse, last = Promise.resolve();
    const call = (message) => new Promise((resolve, reject) => {
      refuse = (why) => {
        worker?.terminate();
        worker = null;
        reject(new Error(why));
      };
      worker.onmessage = ({ data: { answer, problem } }) => (problem === undefined ? resolve(answer) : refuse(problem));
      worker.onerror = (event) => refuse(event.message ?? "a page may not start a worker here");
      worker.postMessage(message);
    });
    const put = (question) => call({ question: new TextEncoder().encode(JSON.stringify(question)) });
    const begin = async () => {
      worker = new Worker(script);
      await call({ module });
      await call({ question: pack });
      for (const question of opening()) await put(question);
    };
    const next = (make) => (last = last.then(make, make));
    return {
      ask: (question) => next(async () => {
        if (!worker) await begin();
        return put(question);
      }),
      stop: (why) => refuse(why),
    };
  };

  const element = (name, props, ...children) => {
    const made = Object.assign(document.createElement(name), props);
    made.append(...children);
    return made;
  };

  // An editor with line numbers: its element, its textarea, a function that renumbers it, and one that marks a line.
  const editing = (name, rows, value) => {
    const numbers = element("pre", { ariaHidden: "true" });
    const code = element("textarea", { spellcheck: false, rows, wrap: "off", value });
    code.setAttribute("aria-label", name);
    let marked = 0;
    const number = () => {
      const lines = code.value.split("\n").map((_, line) => [line + 1 === marked ? element("mark", { textContent: line + 1 }) : line + 1, "\n"]);
      numbers.replaceChildren(...lines.flat());
      numbers.scrollTop = code.scrollTop;
    };
    const mark = (line) => {
      marked = line;
      number();
      const height = code.scrollHeight / Math.max(1, code.value.split("\n").length);
      if (line) code.scrollTop = Math.max(0, (line - 3) * height);
    };
    code.addEventListener("input", number);
    code.onscroll = number;
    number();
    return [element("div", { className: "code" }, numbers, code), code, number, mark];
  };

  const play = async (figure, begin) => {
    const still = figure.querySelector("svg");
    const { step, set, source, own, edited } = JSON.parse(figure.dataset.plays);
    begin.disabled = true;
    begin.textContent = "Starting…";
    let opened = null, text = source ?? null;
    const edit = () => (text === null ? [] : [{ Edit: { source: text } }]);
    const present = () => [{ Open: { step, set: opened.params.map(({ id, value }) => [id, value]) } }, ...edit()];
    const { ask, stop } = await tracer(() => (opened ? present() : []));
    for (const question of [{ Open: { step, set } }, ...edit()]) {
      let answer = await ask(question);
      // Settings of a link may be none that the lesson has.
      if (answer.problems.length && own && question.Open) answer = await ask({ Open: { step, set: own } });
      if (answer.problems.length) throw new Error(answer.problems.join("; "));
      opened = answer;
    }
    let at = opened.first + REST, playing = false, pointer = null, before = 0, shown, wanted = false, drawing = false, size;

    const stage = element("div", { className: "stage" });
    const tip = element("p", { className: "tip" });
    const toggle = element("button", { type: "button" });
    const back = element("button", { type: "button", textContent: "‹", title: "One back" });
    const on = element("button", { type: "button", textContent: "›", title: "One on" });
    const slider = element("input", { type: "range", min: 0, step: 1 });
    slider.setAttribute("aria-label", "Position");
    const where = element("span", { className: "where" });
    const row = element("div", { className: "controls" }, back, toggle, on, slider, where);
    const params = element("fieldset", { className: "controls" });
    const tabs = element("fieldset", { className: "controls tabs" });
    const end = element("button", { type: "button", textContent: "Stop" });
    const busy = element("p", { className: "controls", hidden: true }, "Tracing…", end);
    busy.setAttribute("role", "status");
    const [area, code, number, mark] = editing("The kernel", 14, edited ?? source ?? opened.kernel ?? "");
    const trace = element("button", { type: "button", textContent: "Trace it again" });
    const undo = element("button", { type: "button", textContent: "As it was" });
    const counts = element("table");
    const said = element("div", { className: "said" });
    const edits = element("fieldset", { className: "controls" }, trace, undo);
    const editor = element("details", { open: text !== null || Boolean(edited) }, element("summary", { textContent: "Edit the kernel" }),
      area, edits, said, counts);
    const last = () => Math.max(0, opened.ticks - 1) + REST;

    // One frame at a time; of those that are wanted meanwhile, the newest.
    const draw = async () => {
      slider.value = Math.floor(at);
      where.textContent = opened.ticks ? `${Math.min(opened.ticks, Math.floor(at) + 1)} of ${opened.ticks}` : "";
      toggle.textContent = playing ? "Pause" : "Play";
      wanted = true;
      if (drawing) return;
      drawing = true;
      try {
        while (wanted) {
          wanted = false;
          size = [Math.min(WIDTHS[1], Math.max(WIDTHS[0], stage.clientWidth)), HEIGHT];
          const frame = await ask({ Frame: { position: at, size, pointer } });
          stage.innerHTML = frame.svg;
          tip.textContent = frame.tip ?? "Point at the picture: what is there is written here.";
        }
      } catch (error) {
        tip.textContent = `There is no frame: ${error.message}.`;
      }
      drawing = false;
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
    const show = (problems) => {
      slider.max = Math.max(0, opened.ticks - 1);
      row.hidden = opened.ticks < 2;
      params.replaceChildren(...opened.params.map((param) => {
        const choice = element("select", {}, ...param.values.map(([value, words]) =>
          element("option", { value, textContent: words, selected: value === param.value })));
        choice.onchange = () => change({ Set: { set: [[param.id, Number(choice.value)]] } });
        return element("label", { title: param.help ?? "" }, `${param.label} `, choice);
      }));
      // A module of an earlier release has no other figures.
      tabs.hidden = (opened.figures ?? []).length < 2;
      tabs.replaceChildren(...(opened.figures ?? []).map(([name, tab]) => {
        const button = element("button", { type: "button", textContent: tab, ariaPressed: String(name === opened.figure) });
        button.onclick = () => change({ Figure: { name } });
        return button;
      }));
      // The caption is of the picture that the page opens with.
      shown ??= opened.figure;
      figure.querySelector("figcaption").hidden = opened.figure !== shown;
      figure.dispatchEvent(new CustomEvent("opened", { detail: opened }));
      editor.hidden = opened.kernel === null;
      counts.hidden = problems.length > 0;
      counts.replaceChildren(element("tr", {}, ...["whole grid", "the lesson's", "now"].map((name) => element("th", { textContent: name }))),
        ...opened.counts.map((cells) => element("tr", {}, ...cells.map((text) => element("td", { textContent: text })))));
      said.replaceChildren(...problems.map((text) => element("p", { className: "problem", textContent: text })),
        ...(problems.length ? [] : opened.findings).map((text) => element("p", { className: "problem", textContent: text })));
      mark(Number(/kernel:(\d+):\d+/.exec(problems[0] ?? "")?.[1] ?? (problems.length ? 0 : /^Line (\d+):/.exec(opened.findings[0] ?? "")?.[1]) ?? 0));
      at = Math.min(at, last());
      draw();
    };
    const change = async (question) => {
      playing = false;
      (question.Edit ? edits : params).after(busy);
      said.replaceChildren();
      counts.hidden ||= Boolean(question.Edit);
      const held = [...params.querySelectorAll("select")].indexOf(document.activeElement);
      params.disabled = tabs.disabled = edits.disabled = true;
      const shows = setTimeout(() => { busy.hidden = false; }, PATIENCE);
      let problems;
      try {
        const answer = await ask(question);
        // A kernel that does not compile leaves the picture as it is.
        problems = answer.problems;
        if (!problems.length) {
          opened = answer;
          if (question.Edit) text = question.Edit.source;
          if (question.Edit) figure.dispatchEvent(new CustomEvent("edited", { detail: text }));
          if (question.Figure) at = opened.first + REST;
        }
      } catch (error) {
        problems = [`${error.message}. The picture is as it was before.`];
      }
      clearTimeout(shows);
      busy.hidden = true;
      params.disabled = tabs.disabled = edits.disabled = false;
      show(problems);
      // The controls are made anew, and the one that had the keyboard keeps it.
      params.querySelectorAll("select")[held]?.focus();
    };
    end.onclick = () => stop("Stopped");
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
      pointer = [(event.clientX - room.left) * size[0] / room.width, (event.clientY - room.top) * size[1] / room.height];
      if (!playing) draw();
    };
    stage.onpointerleave = () => {
      pointer = null;
      if (!playing) draw();
    };
    figure.addEventListener("set", ({ detail }) => change({ Set: { set: detail } }));
    figure.addEventListener("edit", ({ detail }) => {
      code.value = detail;
      number();
      change({ Edit: { source: detail } });
    });
    trace.onclick = () => change({ Edit: { source: code.value } });
    trace.title = "Ctrl+Enter";
    code.onkeydown = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !edits.disabled) trace.click();
    };
    undo.onclick = async () => {
      await change({ Edit: { source: source ?? null } });
      code.value = opened.kernel;
      number();
    };
    figure.classList.add("playing");
    still.replaceWith(stage);
    begin.remove();
    stage.after(tabs);
    figure.append(row, tip, params, editor);
    number();
    new ResizeObserver(draw).observe(stage);
    show([]);
    if (edited) said.replaceChildren(element("p", { textContent: "Your text of before. The picture is of the lesson's: trace yours again." }));
  };

  // An explorer: a picture whose bars are dragged, with controls of its own.
  const explore = async (figure, begin) => {
    const { explore: name, at: first } = JSON.parse(figure.dataset.plays);
    begin.disabled = true;
    begin.textContent = "Starting…";
    const { ask } = await tracer(() => []);
    const stage = element("div", { className: "stage explorer" });
    const picture = element("div"), bars = element("div"), rows = element("div");
    stage.append(picture, bars);
    const tip = element("p", { className: "tip" });
    let at = first, spelled = [0, 0], wanted = null, asking = false, shape = "", inputs = [];

    // One picture at a time; of those that are wanted meanwhile, the newest.
    const turn = async (change) => {
      wanted = { turn: null, ...change };
      if (asking) return;
      asking = true;
      try {
        while (wanted) {
          const { turn, to } = wanted;
          wanted = null;
          const width = stage.clientWidth || WIDTHS[0];
          const shown = await ask({ Explore: { name, at: to ?? at, turn, spelled, width } });
          if (shown.problems) throw new Error(shown.problems.join("; "));
          at = shown.at;
          draw(shown);
        }
        tip.textContent = "";
      } catch (error) {
        tip.textContent = `There is no picture: ${error.message}.`;
      }
      asking = false;
    };
    const hold = (place) => {
      const bar = element("div", { className: "bar-handle", tabIndex: 0 });
      bar.setAttribute("role", "slider");
      const to = (value) => turn({ turn: { Handle: [place, value] } });
      const under = ({ clientX }) => {
        const { left, width } = bar.getBoundingClientRect();
        return (2 * (clientX - left) / width - 1) * bar.most;
      };
      bar.onpointerdown = (event) => {
        event.preventDefault();
        bar.focus();
        bar.setPointerCapture(event.pointerId);
        to(under(event));
        bar.onpointermove = (move) => to(under(move));
        bar.onpointerup = bar.onpointercancel = () => { bar.onpointermove = null; };
      };
      bar.onkeydown = (event) => {
        const by = { ArrowUp: 0.1, ArrowRight: 0.1, ArrowDown: -0.1, ArrowLeft: -0.1 }[event.key];
        if (!by) return;
        event.preventDefault();
        to(bar.value + by);
      };
      return bar;
    };
    const part = (place, of) => {
      const [[kind, value]] = Object.entries(of);
      if (kind === "Button") {
        const button = element("button", { type: "button" });
        button.onclick = () => turn({ to: button.to });
        return button;
      }
      if (kind === "Text") {
        const text = element("textarea", { rows: 2, value });
        text.setAttribute("aria-label", "The text");
        text.oninput = () => turn({ turn: { Text: text.value } });
        return text;
      }
      const input = element("input", { type: kind === "Slider" ? "range" : "number", step: "any" });
      input.oninput = () => {
        const value = input.logarithmic ? Math.exp(input.value) : Number(input.value);
        if (input.value !== "" && Number.isFinite(value)) turn({ turn: { Control: [place, value] } });
      };
      return kind === "Slider" ? element("label", { className: "slides" }, input, element("output")) : input;
    };
    // Elements are kept, so that a slider can be dragged on; they get the new values.
    const fill = (made, of) => {
      const [[kind, value]] = Object.entries(of);
      if (kind === "Button") {
        Object.assign(made, { to: value.to, disabled: value.to === null, ariaPressed: String(value.is_chosen), ariaLabel: value.said });
      } else if (kind === "Slider") {
        const [input, output] = made.children, scale = (x) => (value.logarithmic ? Math.log(x) : x);
        Object.assign(input, { logarithmic: value.logarithmic, min: scale(value.range[0]), max: scale(value.range[1]), ariaLabel: value.said });
        input.step = value.logarithmic ? "any" : value.step;
        if (input !== document.activeElement) input.value = scale(value.value);
        input.ariaValueText = output.textContent = value.shown;
      } else if (made !== document.activeElement) {
        made.value = value;
      }
    };
    const draw = ({ svg, size, handles, cells, controls, controls_first }) => {
      picture.innerHTML = svg;
      while (bars.children.length > handles.length) bars.lastChild.remove();
      while (bars.children.length < handles.length) bars.append(hold(bars.children.length));
      handles.forEach(({ name, rect, value, most }, place) => {
        const bar = Object.assign(bars.children[place], { value, most, title: `${name}: drag, or use the arrow keys`, ariaLabel: name });
        Object.assign(bar, { ariaValueNow: value, ariaValueMin: -most, ariaValueMax: most });
        ["left", "top", "width", "height"].forEach((side, i) => { bar.style[side] = `${100 * rect[i] / size[i % 2]}%`; });
      });
      const words = controls.map(({ parts }) => parts.map((part) => part.Button?.words ?? Object.keys(part)[0]));
      if (shape !== JSON.stringify(words)) {
        shape = JSON.stringify(words);
        inputs = controls.map(({ parts }, place) => parts.map((of) => part(place, of)));
        inputs.forEach((row, i) => row.forEach((made, j) => { if (made.tagName === "BUTTON") made.textContent = words[i][j]; }));
        rows.replaceChildren(...inputs.map((row) => element("div", { className: "controls" }, element("span"), ...row)));
      }
      controls.forEach(({ name, parts }, i) => {
        rows.children[i].firstChild.textContent = name;
        parts.forEach((of, j) => fill(inputs[i][j], of));
      });
      if (controls_first !== (rows.nextSibling === stage)) controls_first ? stage.before(rows) : stage.after(rows);
      stage.onpointermove = cells.length && (({ clientX, clientY }) => {
        const room = picture.getBoundingClientRect();
        const [x, y] = [(clientX - room.left) * size[0] / room.width, (clientY - room.top) * size[1] / room.height];
        const cell = cells.findIndex(([left, top, wide, high]) => x >= left && x < left + wide && y >= top && y < top + high);
        const side = Math.sqrt(cells.length), now = [Math.floor(cell / side), cell % side];
        if (cell < 0 || String(now) === String(spelled)) return;
        spelled = now;
        turn({});
      });
    };
    figure.querySelector("svg").replaceWith(stage);
    figure.classList.add("playing");
    begin.remove();
    stage.after(rows, tip);
    await turn({});
    new ResizeObserver(() => turn({})).observe(stage);
  };

  for (const figure of document.querySelectorAll("figure[data-plays]")) {
    const begin = element("button", { type: "button", className: "begin", textContent: "Play it here" });
    const start = JSON.parse(figure.dataset.plays).explore ? explore : play;
    begin.onclick = () => start(figure, begin).catch((error) => {
      begin.replaceWith(element("p", { className: "problem", textContent: `This picture cannot play here: ${error.message}` }));
    });
    figure.querySelector("figcaption").before(begin);
  }
  globalThis.warpbook = { tracer, element, editing };
})();
