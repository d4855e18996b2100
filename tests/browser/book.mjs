// Reads the served site as a reader would. `node book.mjs ADDRESS EXPECTED`: the file EXPECTED has, by page, what the program says of it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { open } from "./chromium.mjs";

const [, , address, file] = process.argv;
const expected = JSON.parse(readFileSync(file, "utf8"));
const browser = await open([1280, 800]);
const { run, until, go, complaints, events } = browser;
const done = (what) => console.log(`ok ${what}`);
const click = (selector, at = 0) => run(`document.querySelectorAll(${JSON.stringify(selector)})[${at}].click()`);
const text = (selector) => run(`document.querySelector(${JSON.stringify(selector)})?.textContent`);
const transferred = () => events.filter(({ method }) => method === "Network.loadingFinished").reduce((all, { params }) => all + params.encodedDataLength, 0);

try {
  // The first page, with nothing in the cache, and one after it.
  const [first, second] = Object.keys(expected);
  await browser.of("Emulation.setCPUThrottlingRate", { rate: 4 });
  const start = Date.now();
  await go(address + first);
  await until("document.querySelector('.stage-of-page figure.playing details')");
  const [bytes, time] = [transferred(), (Date.now() - start) / 1000];
  await browser.of("Emulation.setCPUThrottlingRate", { rate: 1 });
  assert.deepEqual(complaints(), []);
  await go(address + second);
  await until("document.querySelector('.stage-of-page figure.playing details') ?? !document.querySelector('.stage-of-page .begin')");
  const later = transferred();
  assert(bytes < 2.5e6 && later < 3e5, `${bytes} and ${later} bytes`);
  done(`the first page is usable after ${time.toFixed(1)} s at a quarter of the speed, with ${bytes} bytes; the next takes ${later}`);

  // Every page: no complaint, and the program's own numbers.
  let explorer;
  for (const [path, { live, counts, explorers }] of Object.entries(expected)) {
    await go(address + path);
    await until(`document.querySelectorAll('.explorer svg').length === ${explorers}`);
    if (explorers && await run("document.querySelector('.bar-handle')")) explorer ??= path;
    if (counts) {
      await until("document.querySelector('.stage-of-page figure.playing details') ?? document.querySelector('.stage-of-page .problem')");
      const rows = await run("[...document.querySelectorAll('.stage-of-page figure.playing details table tr')].slice(1).map((row) => [...row.cells].map((cell) => cell.textContent))");
      assert.deepEqual(rows, counts, path);
      const unknown = await run("document.querySelector('.stage-of-page .stage svg > title')?.textContent.includes('…') ?? false");
      assert.ok(!unknown, `${path}: a title without its numbers`);
      assert.deepEqual(await run("[...document.querySelectorAll('article output:not(.slides output)')].map((output) => output.textContent)"), live, path);
    }
    assert.deepEqual(complaints(), [], path);
  }
  done(`${Object.keys(expected).length} pages`);

  // Of the lessons, softmax has explorers with bars.
  if (explorer) {
    await go(address + explorer);
    await until("document.querySelector('.bar-handle')");
    const { x, y } = await run("(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector('.bar-handle').getBoundingClientRect())");
    const was = await run("document.querySelector('.explorer svg').outerHTML");
    const mouse = (type, x) => browser.of("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: type === "mouseReleased" ? 0 : 1, clickCount: 1 });
    await mouse("mousePressed", x);
    await mouse("mouseMoved", x - 30);
    await mouse("mouseReleased", x - 30);
    await until(`document.querySelector('.explorer svg').outerHTML !== ${JSON.stringify(was)}`);
    const bars = await run("document.querySelectorAll('.bar-handle').length");
    await run("[...document.querySelectorAll('.controls button')].find(({ textContent }) => textContent === '+').click()");
    await until(`document.querySelectorAll('.bar-handle').length > ${bars}`);
    done("an explorer's bar dragged, and one more added");
  }

  const stride = `${address}coalescing/3-a-stride-leaves-bytes-unused/`;
  await go(`${stride}?stride=8`);
  await until("document.querySelector('output[role=slider]')?.textContent === '8'");
  const before = await run("[...document.querySelectorAll('article output:not(.slides output)')].map((output) => output.textContent)");
  const { x, y } = await run("(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector('output[role=slider]').getBoundingClientRect())");
  const mouse = (type, x) => browser.of("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: type === "mouseReleased" ? 0 : 1, clickCount: 1 });
  await mouse("mousePressed", x);
  await mouse("mouseMoved", x - 40);
  await mouse("mouseReleased", x - 40);
  await until(`document.querySelectorAll('article output:not(.slides output)')[1].textContent !== ${JSON.stringify(before[1])}`);
  assert(!(await run("location.search")).includes("stride=8"));
  done("a number in a link's address, and dragged");

  for (const [choice, right] of [[0, false], [1, true]]) {
    await click(".question-form input", choice);
    await click(".question-form button");
    await until(`document.querySelector('.question-form + .said .${right ? "right" : "wrong"}')`);
  }
  done("a question answered wrong, then right");

  await go(`${address}coalescing/11-turning-in-shared-memory/`);
  await until("document.querySelector('.stage-of-page figure.playing details')");
  await run(`(() => {
    const code = document.querySelector("figure textarea");
    const without = code.value.replace("workgroupBarrier();", "");
    if (without === code.value) throw new Error("there is no barrier");
    code.value = without;
  })()`);
  await run("[...document.querySelectorAll('figure button')].find(({ textContent }) => textContent === 'Trace it again').click()");
  await until("document.querySelector('figure .said p')");
  assert.match(await text("figure .said"), /Line \d+: .*(race|wait|barrier)/i);
  done("a kernel edited to a race, which is found at its line");

  const exercise = `${address}coalescing/19-loop-order-is-not-lane-order/`;
  await go(exercise);
  await click(".exercise .controls button");
  await until("document.querySelector('.exercise .said .wrong')");
  await run(`document.querySelector(".exercise textarea").value = JSON.parse(document.getElementById("page").textContent).exercises[0].solution`);
  await click(".exercise .controls button");
  await until("document.querySelector('.exercise .said .right')");
  await run("(() => { const words = document.querySelector('.words textarea'); words.value = 'Lanes, not loops.'; words.oninput(); })()");
  await go(`${address}coalescing/`);
  await go(exercise);
  assert.equal(await run("document.querySelector('.words textarea').value"), "Lanes, not loops.");
  done("an exercise tried and solved, and own words kept");

  await run("(() => { const field = document.querySelector('input[type=search]'); field.value = 'padded tile'; field.oninput(); })()");
  await until("document.querySelector('.found a')");
  assert.match(await text(".found"), /padded tile/i);
  done("a page found by its words");
  assert.deepEqual(complaints(), []);
} finally {
  await browser.end();
}
