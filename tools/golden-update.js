// Writes the fixtures of the golden tests anew, from the build in dist/. Names of tests to write may follow:
// `node tools/golden-update.js proxies search`. Look at `git diff` afterwards: each change is one of behaviour.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const names = process.argv.slice(2);
const files = names.length === 0 ? ['test/golden'] : names.map((name) => `test/golden/${name}`);
const { status } = spawnSync('npx', ['vitest', 'run', ...files], {
  cwd: root,
  env: { ...process.env, GOLDEN: 'update' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
