import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../analysis/models.testing.js';
import { Table } from '../datasets/table.js';
import { tensorNumbers } from '../graph/tensor.js';
import { type Network, Resolver } from '../networks/index.js';
import { readModel, writeModel } from '../onnx/file.js';
import { codeOfAsync } from '../util/errors.testing.js';
import { globFiles } from './glob.js';
import { diskResolver, listReferences, type NamedNetworks, openReferences } from './resolve.js';

const CELL = '|nor_conv_3x3~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|none~2|';

const folder = mkdtempSync(join(tmpdir(), 'auspex-resolve-'));
const before = process.cwd();
const linear = modelOf({
  inputs: ['x: batch,9'],
  nodes: ['a = MatMul(x, w)', 'y = Relu(a)'],
  outputs: ['y'],
  initializers: [tensor('w', [9, 3])],
});

beforeAll(() => {
  // Paths are printed as they are found: relative ones stay so.
  process.chdir(folder);
  for (const path of ['nets/deep/er', 'empty', 'hidden/.cache']) mkdirSync(path, { recursive: true });
  for (const path of [
    'a.onnx',
    'nets/2.onnx',
    'nets/10.onnx',
    'nets/deep/er/v1.ONNX',
    'hidden/.cache/x.onnx',
  ]) {
    writeModel(linear, path);
  }
  writeFileSync('nets/readme.txt', 'not a network');
  writeFileSync('nets/10.onnx.data', '');
  symlinkSync('..', 'nets/deep/up');
});
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

const namesOf = (networks: NamedNetworks): string[] =>
  Array.from({ length: networks.count }, (_, row) => networks.name(row));
const listOf = async (refs: string[], options = {}): Promise<string[]> =>
  namesOf(await openReferences(refs, options));

describe('openReferences', () => {
  it('takes texts with and without their space, paths and edits', async () => {
    const edit = diskResolver().space('onnx:a.onnx').example;
    const refs = [CELL, `nasbench201:${CELL}`, 'nats-size:8:8:8:8:8', 'a.onnx', `onnx:a.onnx#${edit}`];
    const networks = await openReferences(refs);
    expect(networks.count).toBe(refs.length);
    expect(namesOf(networks)).toEqual(refs);
    const found = refs.map((_, row) => networks.at(row));
    expect(found.map(({ arch }) => arch?.space.name)).toEqual([
      'nasbench201',
      'nasbench201',
      'nats-size',
      undefined,
      'onnx',
    ]);
    expect(found.map(({ file }) => file)).toEqual([undefined, undefined, undefined, 'a.onnx', 'a.onnx']);
    const operators = found
      .slice(3)
      .map((network) => network.model().graph.nodes.map(({ opType }) => opType));
    expect(operators[1]).not.toEqual(operators[0]);
  });

  it('takes a given space for texts, and sizes for all', async () => {
    const networks = await openReferences(['8:8:8:8:8', 'a.onnx'], {
      space: 'nats-size',
      sizes: { batch: 4 },
    });
    expect(networks.at(0).arch?.text).toBe('8:8:8:8:8');
    const inputs = [0, 1].map((row) => String(networks.at(row).model().graph.inputs[0]!.type));
    expect(inputs).toEqual(['float32[4,3,32,32]', 'float32[4,9]']);
    const family = await openReferences([CELL], { space: 'nnlqp-nasbench201' });
    expect(family.at(0).arch?.space.name).toBe('nnlqp-nasbench201');
  });

  it('lists folders recursively, sorted, and follows no link to a folder', async () => {
    const found = ['nets/10.onnx', 'nets/2.onnx', 'nets/deep/er/v1.ONNX'];
    expect(await listOf(['nets'])).toEqual(found);
    expect(await listOf(['nets/', 'a.onnx'])).toEqual([...found, 'a.onnx']);
  });

  it('takes patterns', async () => {
    expect(await listOf(['nets/*.onnx'])).toEqual(['nets/10.onnx', 'nets/2.onnx']);
    expect(await listOf(['nets/?.onnx'])).toEqual(['nets/2.onnx']);
    expect(await listOf(['nets/*'])).toEqual(['nets/10.onnx', 'nets/2.onnx', 'nets/deep/er/v1.ONNX']);
    expect(await listOf(['**/*.onnx'])).toEqual(['a.onnx', 'nets/10.onnx', 'nets/2.onnx']);
    expect(await listOf(['**/v1.*'])).toEqual(['nets/deep/er/v1.ONNX']);
    expect(await listOf([`${folder}/n*s/2.onnx`])).toEqual([`${folder}/nets/2.onnx`]);
    expect(globFiles('hidden/**/*.onnx')).toEqual([]);
    expect(globFiles('nowhere/*.onnx')).toEqual([]);
    expect(globFiles('nets/*.(onnx')).toEqual([]);
  });

  it('reads lines of a file and of standard input, each a reference of any form', async () => {
    writeFileSync('list.txt', `\n  a.onnx \r\nnets\n\n${CELL}\n`);
    const listed = ['a.onnx', 'nets/10.onnx', 'nets/2.onnx', 'nets/deep/er/v1.ONNX', CELL];
    expect(await listOf([], { input: 'list.txt' })).toEqual(listed);
    const stdin = () => Readable.from(['a.on', 'nx\nnets/2.onnx']);
    expect(await listOf(['-'], { stdin: stdin() })).toEqual(['a.onnx', 'nets/2.onnx']);
    expect(await listOf([CELL], { input: '-', stdin: stdin() })).toEqual([CELL, 'a.onnx', 'nets/2.onnx']);
  });

  it('gives references of a stream as they come', async () => {
    let given = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) yield `${given++}.onnx\n`;
      })(),
      { highWaterMark: 1 },
    );
    for await (const { ref } of listReferences(['-'], { stdin: endless })) if (ref === '5.onnx') break;
    expect(given).toBeLessThan(5000);
  });

  it("takes a table's column", async () => {
    const table = (space: string, architectures: string[]) =>
      new Table({ space, architectures, labels: [], columns: {} });
    const cells = await openReferences(['a.onnx'], { table: table('nnlqp-nasbench201', [CELL]) });
    expect(namesOf(cells)).toEqual(['a.onnx', CELL]);
    expect(cells.at(1).arch?.space.name).toBe('nnlqp-nasbench201');
    const files = await openReferences([], { table: table('onnx', ['a.onnx', 'nets/2.onnx']) });
    expect(files.at(1).counts().parameters).toBe(27);
    writeFileSync('t.csv', `# auspex {"table":1,"space":"nasbench201","labels":{}}\narch\n${CELL}\n`);
    expect(await listOf([], { table: 't.csv' })).toEqual([CELL]);
  });

  it('knows which are files without opening them', async () => {
    const files = await openReferences(['a.onnx', 'missing.onnx', 'onnx:a.onnx#base', 'nets/*']);
    expect([...files.files()]).toEqual(['a.onnx', 'missing.onnx', 'a.onnx', ...(await listOf(['nets']))]);
    expect(files.kinds()).toEqual({ hasFiles: true, hasArchitectures: false });
    const mixed = await openReferences([CELL, 'a.onnx']);
    expect([...mixed.files()]).toEqual(['a.onnx']);
    expect(mixed.kinds()).toEqual({ hasFiles: true, hasArchitectures: true });
    expect((await openReferences([CELL])).kinds()).toEqual({ hasFiles: false, hasArchitectures: true });
    expect((await openReferences([], { table: 't.csv' })).kinds().hasFiles).toBe(false);
  });

  it('gives a bad reference an error of its own', async () => {
    writeFileSync('text.onnx', 'no model');
    writeModel(linear, 'locked.onnx');
    chmodSync('locked.onnx', 0);
    const networks = await openReferences([
      'missing.onnx',
      'no such thing',
      'text.onnx',
      'a.onnx',
      'locked.onnx',
    ]);
    const codes = await Promise.all(
      [0, 1, 2, 3, 4].map((row) => codeOfAsync(() => networks.at(row).inference())),
    );
    expect(codes.slice(0, 2)).toEqual(['FILE_UNREADABLE', 'ARCH_TEXT']);
    expect(codes[2]).toMatch(/^ONNX_/);
    expect(codes[3]).toBe('no error');
    // Root may read everything.
    expect(codes[4]).toBe(process.getuid?.() === 0 ? 'no error' : 'FILE_UNREADABLE');
    expect(await codeOfAsync(() => openReferences(['onnx:missing.onnx#base']).then((n) => n.at(0)))).toBe(
      'FILE_UNREADABLE',
    );
  });

  it('refuses what names no networks', async () => {
    writeFileSync('blank.txt', '\n\n');
    for (const [refs, options, code] of [
      [['empty'], {}, 'NETWORKS_NONE'],
      [['empty/*.onnx'], {}, 'NETWORKS_NONE'],
      [[], {}, 'BAD_OPTION'],
      [[], { input: 'blank.txt' }, 'BAD_OPTION'],
      [['-'], { stdin: Readable.from(['']) }, 'BAD_OPTION'],
    ] as const) {
      expect(await codeOfAsync(() => openReferences(refs, options))).toBe(code);
    }
    expect(await codeOfAsync(() => openReferences([], { input: 'nowhere.txt' }))).toBe('FILE_UNREADABLE');
    expect(await codeOfAsync(() => openReferences(['a.onnx'], { space: 'nowhere' }))).toBe('SPACE_UNKNOWN');
  });

  it('opens files when they are asked for; those of short lists once', async () => {
    const opened: string[] = [];
    const open = (path: string) => {
      opened.push(path);
      return readModel(path);
    };
    const networks = await openReferences(['a.onnx', 'nets', 'a.onnx', 'onnx:a.onnx#base'], {
      resolver: new Resolver({ open }),
    });
    expect([networks.count, opened]).toEqual([6, []]);
    for (const row of [0, 4, 5, 0]) networks.at(row).cost();
    expect(opened).toEqual(['a.onnx']);
    networks.at(2).hash();
    expect(opened).toEqual(['a.onnx', 'nets/2.onnx']);
  });

  it('keeps no files of long lists open', async () => {
    const networks = await openReferences(Array.from({ length: 100 }, () => 'nets').concat('a.onnx'));
    expect(networks.count).toBe(301);
    let last: Network | undefined;
    for (const chunk of networks.chunks(64)) for (const network of chunk) last = network;
    expect(last!.ref).toBe('a.onnx');
    // Weights are read from a file that is opened again for it.
    const { initializers } = last!.model().graph;
    const weights = tensorNumbers(initializers.get('w')!);
    expect([weights.length, weights.every(Number.isFinite)]).toEqual([27, true]);
    expect(last!.counts().parameters).toBe(27);
  });
});
