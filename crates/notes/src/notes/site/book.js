// A site's page: theme, keys, search, numbers in the prose, questions, exercises and own words. Without scripts the page reads as it is.
(() => {
  "use strict";
  const { element, tracer, editing } = globalThis.warpbook ?? {};
  if (!element) return;
  const root = document.documentElement.dataset.root;
  const page = JSON.parse(document.getElementById("page")?.textContent ?? "null");
  const plays = (figure) => JSON.parse(figure.dataset.plays);
  const pictures = [...document.querySelectorAll("figure[data-plays]")];
  // The one that is traced; others are explorers.
  const figure = pictures.find((picture) => plays(picture).step);
  const KEY = "warpbook", STEP = 14;

  // The reader's words, answers and kernels, by kind and place. Storage may be forbidden, full, or written by another tab meanwhile.
  const plain = (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {});
  const kept = () => {
    try {
      return Object.fromEntries(Object.entries(plain(JSON.parse(localStorage.getItem(KEY)))).map(([kind, of]) => [kind, plain(of)]));
    } catch {
      return {};
    }
  };
  const keep = (kind, id, value) => {
    try {
      const all = kept();
      (all[kind] ??= {})[id] = value;
      localStorage.setItem(KEY, JSON.stringify(all));
      return true;
    } catch {
      return false;
    }
  };
  const here = page && `${page.lesson}/${page.step}`;

  // Theme: the system's, until another is chosen; then the rules for dark systems, also those in pictures, hold always or never.
  const themes = ["auto", "light", "dark"];
  const theme = element("button", { type: "button", title: "Light or dark" });
  const asked = new WeakMap();
  let worn = kept().theme?.site;
  if (!themes.includes(worn)) worn = "auto";
  const dress = () => {
    for (const { media } of [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])) {
      const first = media && (asked.get(media) ?? media.mediaText);
      if (!first?.includes("prefers-color-scheme")) continue;
      asked.set(media, first);
      media.mediaText = worn === "auto" ? first : worn === "dark" ? first.replace(/\(prefers-color-scheme:\s*dark\)/, "(min-width: 0px)") : "not all";
    }
  };
  const wear = () => {
    document.documentElement.style.colorScheme = worn === "auto" ? "" : worn;
    theme.textContent = `Theme: ${worn}`;
    dress();
  };
  // Each frame of a picture that plays has its own rules.
  const redrawn = new MutationObserver(() => worn === "auto" || dress());
  for (const picture of pictures) redrawn.observe(picture, { childList: true, subtree: true });
  theme.onclick = () => {
    worn = themes[(themes.indexOf(worn) + 1) % themes.length];
    keep("theme", "site", worn);
    wear();
  };
  wear();

  // Search over titles and words; the index is fetched when it is first wanted.
  const field = element("input", { type: "search", placeholder: "Search ( / )" });
  field.setAttribute("aria-label", "Search all pages");
  const found = element("ul", { className: "found", hidden: true });
  let index, chosen = -1;
  const look = async () => {
    index ??= await fetch(`${root}search.json`).then((answer) => answer.json());
    const words = field.value.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const rank = ([, lesson, title, text]) => {
      const titles = `${lesson} ${title}`.toLowerCase();
      if (!words.every((word) => titles.includes(word) || text.includes(word))) return 0;
      return 1 + words.filter((word) => titles.includes(word)).length;
    };
    const hits = words.length ? index.map((entry) => [rank(entry), entry]).filter(([score]) => score) : [];
    hits.sort(([a], [b]) => b - a);
    chosen = Math.min(chosen, hits.length - 1);
    found.replaceChildren(...hits.slice(0, 12).map(([, [path, lesson, title]]) =>
      element("li", {}, element("a", { href: root + path }, element("small", { textContent: lesson }), ` ${title}`))));
    if (words.length && !hits.length) found.append(element("li", { textContent: "No page has all of these words." }));
    found.hidden = !words.length;
  };
  field.oninput = () => { chosen = -1; return look().catch((error) => {
    found.replaceChildren(element("li", { textContent: `The search's index cannot be read: ${error.message}` }));
    found.hidden = false;
  }); };
  document.addEventListener("pointerdown", (event) => { found.hidden ||= !event.target.closest(".search"); });
  field.onkeydown = (event) => {
    const links = [...found.querySelectorAll("a")];
    if (event.key === "Escape") {
      field.value = "";
      found.hidden = true;
      field.blur();
    } else if (event.key === "Enter") {
      look().then(() => found.querySelectorAll("a")[Math.max(chosen, 0)]?.click());
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      chosen = Math.min(links.length - 1, Math.max(0, chosen + (event.key === "ArrowDown" ? 1 : -1)));
      links.forEach((link, at) => link.classList.toggle("chosen", at === chosen));
    }
  };
  document.querySelector(".tools").append(element("span", { className: "search" }, field, found), theme);
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select, pre, .scroll, [role=slider]") || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "/") {
      event.preventDefault();
      field.focus();
    } else if (event.key === "ArrowRight") document.querySelector("a[rel=next]")?.click();
    else if (event.key === "ArrowLeft") document.querySelector("a[rel=prev]")?.click();
  });

  // Where the reader has been.
  const { read = {} } = kept();
  for (const link of document.querySelectorAll("main.contents ol a")) {
    link.classList.toggle("read", Boolean(read[new URL(link.href).pathname]));
  }
  for (const tag of document.querySelectorAll("main.contents .tag")) {
    const done = kept()[tag.dataset.done] ?? {};
    tag.classList.toggle("done", tag.dataset.of.split(" ").every((id) => done[id]));
  }
  for (const lesson of document.querySelectorAll("main.start .lesson")) {
    const { pathname } = new URL(lesson.querySelector("a.face").href);
    const opened = Object.keys(read).filter((path) => path.startsWith(pathname)).length;
    if (opened) lesson.querySelector(".count").append(`, ${opened} read`);
  }
  if (!page) return;
  keep("read", location.pathname, true);

  // Settings of a link: ?stride=8.
  const own = new Map(figure ? plays(figure).set : []);
  if (figure) {
    const set = [...own].map(([id, value]) => {
      const asked = new URLSearchParams(location.search).get(id) ?? "";
      return [id, asked !== "" && Number.isFinite(Number(asked)) ? Number(asked) : value];
    });
    figure.dataset.plays = JSON.stringify({ ...plays(figure), own: [...own], set, edited: kept().edited?.[here] });
    figure.addEventListener("edited", ({ detail }) => keep("edited", here, detail ?? undefined));
  }

  // A stage that is higher than the window moves up with the text until its end is seen.
  const beside = document.querySelector(".stage-of-page"), BAR = 56;
  const hold = () => { beside.style.top = `${Math.min(BAR, innerHeight - beside.offsetHeight - 8)}px`; };
  new ResizeObserver(hold).observe(beside);
  addEventListener("resize", hold);

  const command = document.querySelector(".in-program code"), opens = command?.textContent;
  // Numbers in the prose follow the stage, and its controls can be dragged there.
  const lives = [...document.querySelectorAll("article output")];
  const slide = (output, param) => {
    output.onkeydown = output.onpointerdown = null;
    output.tabIndex = 0;
    output.setAttribute("role", "slider");
    output.setAttribute("aria-label", param.label);
    output.ariaValueMin = 0;
    output.ariaValueMax = param.values.length - 1;
    output.title = `${param.label}: drag, or use the arrow keys`;
    let place = param.values.findIndex(([value]) => value === param.value);
    const at = () => place;
    const say = () => Object.assign(output, { ariaValueNow: place, ariaValueText: output.textContent });
    say();
    const go = (to) => {
      place = Math.min(param.values.length - 1, Math.max(0, to));
      const [value, words] = param.values[place];
      output.textContent = words;
      say();
      return value;
    };
    const set = (value) => {
      if (value !== param.value) figure.dispatchEvent(new CustomEvent("set", { detail: [[param.id, value]] }));
    };
    output.onkeydown = (event) => {
      const all = param.values.length;
      const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 5, PageDown: -5, Home: -all, End: all }[event.key];
      if (!by) return;
      event.preventDefault();
      set(go(at() + by));
    };
    output.onpointerdown = (event) => {
      event.preventDefault();
      output.focus();
      output.setPointerCapture(event.pointerId);
      const start = at();
      let value = param.value;
      output.onpointermove = (move) => { value = go(start + Math.round((move.clientX - event.clientX) / STEP)); };
      output.onpointerup = output.onpointercancel = () => {
        output.onpointermove = output.onpointerup = output.onpointercancel = null;
        set(value);
      };
    };
  };
  figure?.addEventListener("opened", ({ detail: { live = [], params } }) => {
    if (live.length === lives.length) lives.forEach((output, at) => { output.textContent = live[at]; });
    for (const output of lives) {
      const param = params.find(({ id }) => id === output.dataset.param);
      if (param) slide(output, param);
    }
    const changed = params.filter(({ id, value }) => own.has(id) && own.get(id) !== value).map(({ id, value }) => [id, value]);
    const sets = changed.map(([id, value]) => ` --set ${id}=${value}`).join("");
    if (command) command.textContent = opens + sets;
    history.replaceState(null, "", changed.length ? `?${new URLSearchParams(changed)}` : location.pathname);
  });

  // Names in the prose that stand for settings.
  for (const preset of document.querySelectorAll("article button.preset")) {
    preset.onclick = () => figure?.dispatchEvent(new CustomEvent("set", {
      detail: preset.dataset.set.split(",").map((one) => one.split("=")).map(([id, value]) => [id, Number(value)]),
    }));
  }

  // Questions and exercises have a worker of their own, so that the stage goes on meanwhile.
  let worker;
  const ask = async (question) => (await (worker ??= tracer(() => []))).ask(question);
  const judged = (room, ask) => async (button, question) => {
    button.disabled = true;
    room.replaceChildren(element("p", { textContent: "Tracing…" }));
    try {
      const { right, said, parts } = await ask(question);
      const state = right === true ? "right" : right === false ? "wrong" : "";
      const rows = parts.map((cells) => element("tr", {}, ...cells.map((text) => element("td", { textContent: text }))));
      const names = ["of the goal", "it is", "it must be"].map((name) => element("th", { textContent: name }));
      room.replaceChildren(...said.filter(Boolean).map((text, at) => element("p", { textContent: text, className: at ? "" : state })),
        ...(rows.length ? [element("table", {}, element("tr", {}, ...names), ...rows)] : []));
      return right;
    } catch (error) {
      room.replaceChildren(element("p", { className: "problem", textContent: error.message }));
    } finally {
      button.disabled = false;
    }
  };

  const before = (room, is, text) => { if (is) room.append(element("p", { className: "right", textContent: text })); };
  const cards = [...document.querySelectorAll("article section.card")];
  page.questions.forEach((question, at) => {
    const card = cards[at], because = card?.querySelector("details");
    if (!because) return;
    if (question.kind === "curve") {
      because.before(element("p", { className: "aside", textContent: "Draw your curve on paper, then open the answer. In the program you draw it here." }));
      return;
    }
    const id = `${page.lesson}/${question.id}`, list = card.querySelector("ul");
    const form = element("form", { className: "question-form" });
    if (question.kind === "choice") {
      const options = [...list.querySelectorAll("li")].map((option, number) =>
        element("label", {}, element("input", { type: "radio", name: question.id, value: number }), ` ${option.textContent}`));
      form.append(...options);
      list.replaceWith(form);
    } else {
      const number = element("input", { type: "number", step: "any", required: true });
      number.setAttribute("aria-label", "Your answer");
      form.append(number, ` ${question.unit}`);
      because.before(form);
    }
    const check = element("button", { type: "submit", textContent: "Check" });
    const room = element("div", { className: "said" });
    room.setAttribute("role", "status");
    before(room, kept().right?.[id] === true, "You answered this right before.");
    form.append(element("div", { className: "controls" }, check));
    form.after(room);
    because.hidden = true;
    form.onsubmit = async (event) => {
      event.preventDefault();
      const picked = form.querySelector("input:checked"), typed = form.querySelector("input[type=number]");
      if (!picked && !typed) {
        room.replaceChildren(element("p", { textContent: "Choose an answer first." }));
        return;
      }
      const guess = typed ? { Number: Number(typed.value) } : { Choice: Number(picked.value) };
      const right = await judged(room, ask)(check, { Answer: { question: question.id, guess, recorded: question.recorded } });
      if (right !== undefined) {
        because.hidden = false;
        because.open = true;
        keep("right", id, right);
      }
    };
  });

  for (const exercise of page.exercises) {
    const source = [...document.querySelectorAll("article details")].find((all) => all.querySelector("summary").textContent === exercise.file);
    if (!source) continue;
    const id = `${page.lesson}/${exercise.id}`;
    const [area, code, number, mark] = editing("Your kernel", 20, kept().tried?.[id] ?? exercise.starter);
    const check = element("button", { type: "button", textContent: "Check" });
    const again = element("button", { type: "button", textContent: "Start again" });
    const end = element("button", { type: "button", textContent: "Stop", hidden: true });
    const hint = element("button", { type: "button" });
    const room = element("div", { className: "said" });
    room.setAttribute("role", "status");
    const hints = element("ol", { className: "hints" });
    let opened = 0;
    const label = () => {
      hint.textContent = opened < exercise.hints.length ? `Hint ${opened + 1} of ${exercise.hints.length}` : "Show a solution";
      hint.hidden = opened > exercise.hints.length;
    };
    hint.onclick = () => {
      const item = element("li");
      // Hints are the site's own pages, made harmless where they were written.
      if (opened < exercise.hints.length) item.innerHTML = exercise.hints[opened];
      else item.append(element("pre", { textContent: exercise.solution }));
      hints.append(item);
      opened += 1;
      label();
    };
    check.onclick = async () => {
      keep("tried", id, code.value);
      end.hidden = false;
      if (await judged(room, ask)(check, { Try: { exercise: exercise.id, source: code.value } })) keep("solved", id, code.value);
      mark(Number(/kernel:(\d+):\d+/.exec(room.textContent)?.[1] ?? 0));
      // The stage shows what was judged.
      figure?.dispatchEvent(new CustomEvent("edit", { detail: code.value }));
      end.hidden = true;
    };
    code.onkeydown = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !check.disabled) check.click();
    };
    end.onclick = async () => (await worker).stop("Stopped. It may not end");
    again.onclick = () => {
      code.value = exercise.starter;
      number();
      keep("tried", id, undefined);
    };
    label();
    before(room, kept().solved?.[id], "You solved this before.");
    source.replaceWith(element("section", { className: "card exercise" }, area,
      element("div", { className: "controls" }, check, end, hint, again), room, hints));
  }

  // Own words, and all of them as a note.
  // `stored` is what this tab last saw in the storage: text beyond it is not kept, and no other tab's replaces it.
  let stored = kept().words?.[here] ?? "";
  const words = element("textarea", { rows: 5, value: stored, placeholder: "In your own words…" });
  words.setAttribute("aria-label", "Your own words on this page");
  const state = element("span", { className: "where" });
  const titles = () => keep("titles", here, page.title);
  words.oninput = () => {
    const done = keep("words", here, words.value) && titles();
    if (done) stored = words.value;
    state.textContent = done ? "Kept in this browser." : "This browser keeps nothing: save them as a note.";
  };
  const save = element("button", { type: "button", textContent: "Save all my words as a note" });
  save.onclick = () => {
    const all = { ...(kept().words ?? {}), [here]: words.value };
    const names = { ...(kept().titles ?? {}), [here]: page.title };
    const text = Object.entries(all).filter(([, text]) => typeof text === "string" && text.trim()).map(([at, text]) => `## ${names[at] ?? at}\n\n${text.trim()}\n`).join("\n");
    const link = element("a", { href: `data:text/markdown;charset=utf-8,${encodeURIComponent(`# My words\n\n${text}`)}`, download: "warpbook-words.md" });
    link.click();
  };
  addEventListener("storage", () => {
    if (words.value !== stored) return;
    words.value = stored = kept().words?.[here] ?? "";
  });
  document.querySelector("section.words").append(element("h2", { textContent: "Your own words" }), words,
    element("div", { className: "controls" }, save, state));

  for (const begin of document.querySelectorAll("figure[data-plays] .begin")) begin.click();
})();
