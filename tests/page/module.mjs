// Runs the module of the notes that play as a page would: a question per line of standard input, an answer per line of standard output.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { push, answer, word } = instance.exports;
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const bytes = Buffer.from(line, "utf8");
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) push(bytes.readUInt32LE(at), 4);
  for (; at < bytes.length; at += 1) push(bytes[at], 1);
  const length = answer();
  const words = Buffer.alloc(length + 4);
  for (at = 0; at < length; at += 4) words.writeUInt32LE(word(at) >>> 0, at);
  process.stdout.write(words.subarray(0, length));
  process.stdout.write("\n");
}
