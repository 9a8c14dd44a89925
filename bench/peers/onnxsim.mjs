// Answers lines "simplify FILE" with "milliseconds FILE" of the simplified model, or with "failed REASON": onnxsim's
// WebAssembly build from npm. Milliseconds are of the processor, from the file to the bytes of the new one.
//
//   node onnxsim.mjs FOLDER_WITH_NODE_MODULES
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const package_ = join(process.argv[2], 'node_modules/onnxsim');
const { version } = createRequire(import.meta.url)(join(package_, 'package.json'));
// What it prints about its work is not the answer.
const answer = (line) => process.stdout.write(`${line}\n`);
console.log = () => {};
const { simplify } = await import(pathToFileURL(join(package_, 'index.mjs')).href);
const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'));
const written = join(folder, 'out.onnx');

answer(version);
for await (const line of createInterface({ input: process.stdin })) {
  const path = line.slice(line.indexOf(' ') + 1);
  const before = process.cpuUsage();
  try {
    const { model } = await simplify(readFileSync(path));
    const { user, system } = process.cpuUsage(before);
    writeFileSync(written, model);
    answer(`${(user + system) / 1000} ${written}`);
  } catch (error) {
    answer(
      `failed ${String(error.message ?? error)
        .replaceAll('\n', ' ')
        .slice(0, 100)}`,
    );
  }
}
rmSync(folder, { recursive: true });
