// Chromium without a window, driven through its pipe by the DevTools protocol.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const open = async ([width, height]) => {
  const profile = mkdtempSync(join(tmpdir(), "warpbook-browser-"));
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", `--user-data-dir=${profile}`];
  const child = spawn("chromium", options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  child.on("error", (error) => { throw new Error(`install chromium: ${error.message}`); });
  const waiting = new Map();
  const events = [];
  let last = 0, text = "";
  child.stdio[4].on("data", (data) => {
    const parts = (text + data).split("\0");
    text = parts.pop();
    for (const message of parts.map((part) => JSON.parse(part))) {
      if (!message.id) {
        events.push(message);
        continue;
      }
      const { resolve, reject } = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    }
  });
  const send = (method, params, sessionId) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    child.stdio[3].write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
  });
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const of = (method, params = {}) => send(method, params, sessionId);
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await of(`${domain}.enable`);
  await of("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  const run = async (expression) => {
    const { result, exceptionDetails } = await of("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  // Waits until an expression is true, and gives its value.
  const until = async (expression, patience = 60_000) => {
    for (const start = Date.now(); Date.now() - start < patience; await new Promise((go) => setTimeout(go, 50))) {
      const value = await run(expression).catch(() => undefined);
      if (value) return value;
    }
    throw new Error(`not within ${patience} ms: ${expression}`);
  };
  const go = async (address) => {
    await of("Page.navigate", { url: address });
    await until(`location.href.startsWith(${JSON.stringify(address)}) && document.readyState === "complete"`);
  };
  // Messages of the console, exceptions and failed requests since it was last asked.
  const complaints = () => events.splice(0).flatMap(({ method, params }) => ({
    "Log.entryAdded": () => [`${params.entry.text} ${params.entry.url ?? ""}`],
    "Runtime.exceptionThrown": () => [params.exceptionDetails.exception?.description ?? params.exceptionDetails.text],
    "Runtime.consoleAPICalled": () => [params.args.map(({ value }) => value).join(" ")],
  }[method]?.() ?? []));
  const end = async () => {
    const gone = new Promise((go) => child.on("exit", go));
    await send("Browser.close");
    await gone;
    // Its own processes end a moment later.
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  return { of, run, until, go, complaints, events, end };
};
