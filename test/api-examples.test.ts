// Every example of the public API and of the README compiles against the built package, runs, and gives what its comments
// claim.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvOf } from '../src/datasets/formats/csv.js';
import { Table } from '../src/datasets/table.js';
import { describeArchitecture } from '../src/spaces/describe.js';
import { spaceNamed } from '../src/spaces/index.js';
import { Random } from '../src/util/random.js';
import { apiDocs, apiEntries } from '../tools/api-docs.js';
import { refuted } from './claims.testing.js';
import { codeBlocks, type Example, exampleOf } from './examples.testing.js';

const ROOT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'auspex-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (...path: string[]): string => join(folder, ...path);

const entries = apiEntries(['.', './extend']);
const exported = new Map(
  ['.', './extend'].map((subpath) => [
    `auspex${subpath.slice(1)}`,
    new Set(entries.filter((entry) => entry.subpath === subpath).map(({ name }) => name)),
  ]),
);
const root = entries.filter(({ subpath }) => subpath === '.');
const extensions = entries.filter(
  ({ subpath, name }) => subpath === './extend' && name !== 'extend' && !exported.get('auspex')!.has(name),
);
const examples: Example[] = [
  ...[...root, ...extensions].flatMap(({ subpath, name, examples: codes }) =>
    codes.map((code) => exampleOf(`auspex${subpath.slice(1)} ${name}`, code, exported)),
  ),
  ...codeBlocks(join(ROOT, 'README.md'), 'README.md').map(({ from, code }) => exampleOf(from, code)),
];
const IMPORT = /^import \{([^}]*)\} from '(auspex[^']*)'/gm;
const readManifest = (): { exports: Record<string, unknown> } =>
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: Record<string, unknown> };
const fileOf = (i: number): string => `example-${i}`;

describe('the public API', () => {
  it('has about 40 names, each with an example that claims a value', () => {
    expect(root.length).toBeLessThanOrEqual(45);
    for (const { name, description, examples: codes } of [...root, ...extensions]) {
      expect([name, description !== '', codes.length]).toEqual([name, true, 1]);
    }
    for (const { from, claims } of examples) {
      if (from.startsWith('auspex ')) expect([from, claims > 0]).toEqual([from, true]);
    }
  });

  it('is listed in docs/reference/api.md, as `npm run docs` makes it', () => {
    expect(readFileSync(join(ROOT, 'docs/reference/api.md'), 'utf8')).toBe(apiDocs());
  });

  it('has every name that the documentation imports', () => {
    const paths = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
    const subpaths = Object.keys(readManifest().exports).filter((path) => !path.includes('*'));
    const names = new Set(
      apiEntries(subpaths).map(({ subpath, name }) => `auspex${subpath.slice(1)} ${name}`),
    );
    const imported = paths
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => [...readFileSync(join(ROOT, 'docs', path), 'utf8').matchAll(IMPORT)])
      .flatMap(([, list, from]) => list!.split(',').map((name) => `${from} ${name.trim()}`))
      .filter((name) => !/ (type .*)?$/.test(name));
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter((name) => !names.has(name))).toEqual([]);
  });

  it('has an example of the README in five lines', () => {
    const [first] = codeBlocks(join(ROOT, 'README.md'), 'README.md');
    expect(first!.code.trim().split('\n').length).toBeLessThanOrEqual(5);
    expect(first!.code).toContain('predict(');
  });
});

describe('examples', () => {
  let outcomes: Record<string, string | null>;
  beforeAll(() => {
    prepare();
    outcomes = run();
  }, 60_000);

  it('compile against the types of the package', () => {
    const program = ts.createProgram(
      examples.map((_, i) => at(`${fileOf(i)}.ts`)),
      {
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        target: ts.ScriptTarget.ES2023,
        lib: ['lib.es2023.d.ts'],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: true,
        noEmit: true,
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
    );
    const problems = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
      const place = examples[Number(/example-(\d+)/.exec(file?.fileName ?? '')?.[1])]?.from ?? file?.fileName;
      return `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
    expect(problems).toEqual([]);
  });

  it.each(examples.map(({ from }, i) => [from, i] as const))('of %s', (_, i) => {
    expect(outcomes[fileOf(i)]).toBeNull();
  });

  it('are refuted where they claim something else', () => {
    expect(refuted("{ a: 1.5, b: ['x…', …], … }", [{ a: 1.4999, b: ['xy', 3], c: 0 }])).toBeUndefined();
    expect(refuted('[1, 2]', [Uint8Array.of(1, 2)])).toBeUndefined();
    for (const [claim, value] of [
      ['1.5', 1.6],
      ['2', 2.4],
      ["'a'", 'ab'],
      ['[1, 2]', [1, 2, 3]],
      ['[1, 2, …]', [1]],
      ['{ a: 1 }', { a: 1, b: 2 }],
      ['true', 'true'],
      ['3n', 3],
    ] as const) {
      expect([claim, refuted(claim, [value])]).toEqual([claim, expect.any(String)]);
    }
  });
});

/** The files that examples read, and the modules they import. */
function prepare(): void {
  mkdirSync(at('node_modules'));
  mkdirSync(at('examples'));
  symlinkSync(ROOT, at('node_modules/auspex'), 'dir');
  symlinkSync(join(ROOT, 'node_modules/zod'), at('node_modules/zod'), 'dir');
  writeFileSync(at('package.json'), '{ "type": "module" }');
  for (const path of ['resnet8.onnx', 'examples/resnet8.onnx']) {
    cpSync(join(ROOT, 'examples/resnet8.onnx'), at(path));
  }
  for (const path of ['examples/resnet18.onnx', 'examples/resnet34.onnx']) cpSync(join(ROOT, path), at(path));
  cpSync(join(ROOT, 'bundled/nasbench201-accuracy.onnx'), at('accuracy.onnx'));
  const { table, plain } = cells();
  writeFileSync(at('cells.csv'), [...csvOf(table)].map((piece) => Buffer.from(piece).toString()).join(''));
  writeFileSync(at('mine.csv'), plain(20));
  writeFileSync(at('latencies.csv'), plain(80));
  examples.forEach(({ code }, i) => {
    writeFileSync(at(`${fileOf(i)}.ts`), code);
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
    writeFileSync(at(`${fileOf(i)}.js`), ts.transpileModule(code, { compilerOptions: options }).outputText);
  });
}

/** Different cells of NAS-Bench-201, with labels that follow from what they cost. */
function cells(): { table: Table; plain: (rows: number) => string } {
  const space = spaceNamed('nasbench201');
  const random = Random.seeded(1);
  const found = new Map<string, { arch: string; parameters: number; macs: number }>();
  while (found.size < 80) {
    const described = describeArchitecture(space, space.sample(random));
    found.set(described.hash, described);
  }
  const rows = [...found.values()];
  const latency = rows.map(({ macs }) => 1 + macs / 1e7);
  const accuracy = rows.map(({ parameters }) => 60 + 5 * Math.log10(parameters));
  const table = new Table({
    space: 'nasbench201',
    labels: [
      { name: 'accuracy', unit: '%', better: 'higher', provenance: 'made up' },
      { name: 'latency', unit: 'ms', better: 'lower', provenance: 'made up' },
    ],
    architectures: rows.map(({ arch }) => arch),
    columns: { accuracy, latency },
  });
  const lines = rows.map(({ arch }, i) => `${arch},${latency[i]},${accuracy[i]}`);
  const plain = (count: number): string =>
    `${['arch,latency_ms,cifar10_test', ...lines.slice(0, count)].join('\n')}\n`;
  return { table, plain };
}

/** What came of each example, run one after another in one process: null, or what went wrong. */
function run(): Record<string, string | null> {
  const claims = readFileSync(join(ROOT, 'test/claims.testing.ts'), 'utf8');
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  writeFileSync(at('claims.js'), ts.transpileModule(claims, { compilerOptions: options }).outputText);
  writeFileSync(
    at('run.js'),
    `import { refuted } from './claims.js';
    const outcomes = {};
    console.log = () => undefined;
    for (const name of ${JSON.stringify(examples.map((_, i) => fileOf(i)))}) {
      const problems = [];
      globalThis.__claim = (claim, values) => {
        const problem = refuted(claim, values);
        if (problem !== undefined) problems.push(problem);
      };
      try {
        await import('./' + name + '.js');
      } catch (error) {
        problems.push(error.describe?.() ?? error.stack);
      }
      outcomes[name] = problems.length === 0 ? null : problems.join('; ');
    }
    process.stdout.write(JSON.stringify(outcomes));`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, ['run.js'], { cwd: folder, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, string | null>;
}
