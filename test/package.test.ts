// The package as a user gets it: one `npm install` where only the npm registry can be reached, then the command with
// its workers and files, every export, and pages made with a bundler. Builds anew and takes a minute, so it is not
// part of `npm test`: `npm run package-test`.
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install, output, pack, ROOT, readJson, run, writeLines } from './package.testing.js';
import { bundlePage, CHROMIUM, openPage } from './page.testing.js';

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

const isReachable = run(ROOT, 'npm', 'ping').status === 0;
const folder = mkdtempSync(join(tmpdir(), 'auspex-package-'));
afterAll(() => rmSync(folder, { recursive: true }), 120_000);

/** What the command of the checkout prints. */
const here = (...args: string[]): string => output(ROOT, process.execPath, 'dist/cli/main.js', ...args);
const [, cell] = /npx auspex predict '([^']+)'/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))!;
const exportsOf = ({ exports }: Manifest): string[] =>
  Object.keys(exports)
    .filter((path) => !path.includes('*'))
    .map((path) => `auspex${path.slice(1)}`);
const withScripts = ({ packages }: Lock): string[] =>
  Object.keys(packages).filter((name) => packages[name]!.hasInstallScript);

it('is made of a checkout that needs no install script either', () => {
  // npm 10 knows no `allowScripts`, but runs a script only if the lock says that there is one.
  expect(withScripts(readJson(ROOT, 'package-lock.json'))).not.toContain('node_modules/onnxruntime-node');
});

describe.skipIf(!isReachable)('a package (needs the npm registry)', () => {
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  let warnings: string[];
  beforeAll(() => {
    ({ warnings } = install(folder, pack(folder)));
  }, 300_000);

  it('is installed by one command that runs no scripts', () => {
    expect(warnings).toEqual([]);
    expect(withScripts(readJson(folder, 'node_modules/.package-lock.json'))).toEqual([]);
  });

  it('leaves the checkout as it was', () => {
    expect(readFileSync(join(ROOT, 'package.json'), 'utf8')).toBe(manifest);
    expect(readJson(ROOT, 'node_modules/onnxruntime-node/package.json')).toHaveProperty(
      'scripts.postinstall',
    );
  });

  it('predicts', () => {
    expect(output(folder, 'npx', 'auspex', 'predict', cell!)).toBe(here('predict', cell!));
  });

  it('inspects a file', () => {
    const model = join(ROOT, 'examples/resnet8.onnx');
    expect(output(folder, 'npx', 'auspex', 'inspect', model)).toBe(here('inspect', model));
    expect(output(folder, 'npx', 'auspex', '--version')).toBe(here('--version'));
  });

  it('scores a pool with workers', () => {
    writeLines(join(folder, 'cells.txt'), [cell!, cell!.replaceAll('nor_conv_3x3', 'nor_conv_1x1')]);
    const pool = '--space nasbench201 --input cells.txt --proxies synflow --resolution 8 --batch 2'.split(
      ' ',
    );
    output(folder, 'npx', 'auspex', 'proxy', ...pool, '--workers', '2', '-o', 'scores.jsonl');
    const [, ...scores] = readFileSync(join(folder, 'scores.jsonl'), 'utf8').trim().split('\n');
    expect(scores).toHaveLength(2);
    for (const score of scores) expect(score).toMatch(/"synflow":.*\d/);
  });

  it.each(exportsOf(JSON.parse(manifest)))('exports %s', (path) => {
    const script = `import('${path}').then((module) => console.log(Object.keys(module).length))`;
    expect(Number(output(folder, process.execPath, '-e', script))).toBeGreaterThan(5);
    const targets = JSON.stringify((JSON.parse(manifest) as Manifest).exports).matchAll(/"(\.\/dist[^"]+)"/g);
    for (const [, target] of targets) readFileSync(join(folder, 'node_modules/auspex', target!));
  });

  describe('without a native runtime', () => {
    const native = join(folder, 'node_modules/auspex/node_modules/onnxruntime-node/bin');
    beforeAll(() => renameSync(native, `${native}.away`));
    afterAll(() => renameSync(`${native}.away`, native));

    it('says which one runs everywhere', () => {
      const { status, stderr } = run(folder, 'npx', 'auspex', 'predict', cell!);
      expect(status).toBe(1);
      expect(stderr).toContain('RUNTIME_MISSING');
      expect(stderr).toContain('npm install onnxruntime-web');
    });

    it('runs on that one, and says that it is slower', { timeout: 120_000 }, () => {
      const { peerDependencies } = JSON.parse(manifest) as Manifest;
      install(folder, `onnxruntime-web@${peerDependencies['onnxruntime-web']}`);
      const { status, stdout, stderr } = run(folder, 'npx', 'auspex', 'predict', cell!);
      expect([status, stderr]).toEqual([0, expect.stringContaining('AUSPEX_SLOW_RUNTIME')]);
      expect(stdout.split('\n')).toHaveLength(here('predict', cell!).split('\n').length);
    });
  });

  describe('in a page', () => {
    /** Sums, a layer, the cost of an architecture, and no bundled predictors. */
    const PAGE_RESULT = [2, 4, 6, 'function', true, 0];
    const session = `
      import { hostTensor, predict, sample, Session, useRuntime } from 'auspex';
      import { makeGraph, makeModel, makeNode, TensorType } from 'auspex/graph';
      import { linear } from 'auspex/nn';
      const type = new TensorType('float32', [3]);
      const nodes = [makeNode('Add', ['x', 'x'], ['y'])];
      const graph = makeGraph({ nodes, inputs: [{ name: 'x', type }], outputs: [{ name: 'y', type }] });
      const run = async () => {
        const session = await Session.create(makeModel(graph), { threads: 1, isApart: true });
        const x = await hostTensor('float32', Float32Array.of(1, 2, 3), [3]);
        const [{ cost, labels }] = await predict(sample('nats-size', { seed: 1 }), { threads: 1 });
        return [...(await session.run({ x })).y.data, typeof linear, cost.parameters > 0, Object.keys(labels).length];
      };`;

    it.skipIf(!CHROMIUM)(
      'makes sessions with the runtime that the bundler found (needs Chromium)',
      async () => {
        const page = await bundlePage(folder, `${session} export const main = run;`);
        expect(await openPage(page)).toEqual(PAGE_RESULT);
      },
    );

    it("makes sessions with the application's own runtime", async () => {
      const own = `import * as ort from 'onnxruntime-web/wasm';
        export const main = () => { useRuntime(ort); return run(); };`;
      const page = await bundlePage(folder, `${session}${own}`);
      const { main } = await import(pathToFileURL(join(page, 'page.js')).href);
      expect(await main()).toEqual(PAGE_RESULT);
      if (CHROMIUM) expect(await openPage(page)).toEqual(PAGE_RESULT);
    });
  });
});
