// Runs the tracer's module as a page would: a question per line of standard input, an answer per line of standard output.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { push, answer, byte } = instance.exports;
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  for (const value of Buffer.from(line, "utf8")) push(value);
  const bytes = Buffer.alloc(answer());
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = byte(at);
  process.stdout.write(bytes);
  process.stdout.write("\n");
}
