// What a package needs and a checkout must not have: `prepack` adds it, `postpack` takes it out again.
// 1. `bin`. In a checkout it would make every `npx auspex` install the checkout into npx's cache first, which
//    costs more than the inspection itself; there bundle-cli.js does the work.
// 2. No `prepare`, which is for checkouts: npm asks users whether it may run.
// 3. onnxruntime-node inside the package, without its install script: see "Installing" in docs/architecture.md.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const RUNTIME = 'onnxruntime-node';

const [action] = process.argv.slice(2);
if (action !== 'add' && action !== 'remove') throw new Error('usage: pack.js add|remove');

const { bin: _, bundleDependencies: __, ...manifest } = read(join(root, 'package.json'));
const names = ['prepare', 'prepare:checkout'];
if (action === 'add') {
  const added = { bin: { auspex: 'dist/cli/main.js' }, bundleDependencies: [RUNTIME] };
  write(join(root, 'package.json'), { ...manifest, ...added, scripts: renamed(manifest.scripts, ...names) });
} else {
  write(join(root, 'package.json'), { ...manifest, scripts: renamed(manifest.scripts, ...names.reverse()) });
}

const packed = join(root, 'node_modules', RUNTIME, 'package.json');
const kept = `${packed}.kept`;
if (existsSync(kept)) renameSync(kept, packed);
if (action === 'add') {
  const runtime = withoutScripts(read(packed));
  // Renamed, not written over: package managers share files of packages by hard links.
  renameSync(packed, kept);
  write(packed, runtime);
}

/**
 * The manifest of the runtime with all that runs it and nothing that downloads. Its library for macOS is there twice;
 * the binding loads the one with the short name.
 */
function withoutScripts({ scripts: _, devDependencies: __, dependencies, ...runtime }) {
  const common = 'onnxruntime-common';
  return {
    ...runtime,
    dependencies: { [common]: dependencies[common] },
    files: ['dist/**/*.js', 'bin', `!bin/**/libonnxruntime.${runtime.version}.dylib`],
  };
}

/** An object in the same order, with another name for one of its keys. */
function renamed(object, from, to) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key === from ? to : key, value]));
}

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function write(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
