// `auspex proxy --images`: the same scores as for arrays that Pillow made of the same files.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../analysis/models.testing.js';
import { ImageSamples } from '../app/score/images.js';
import { bytesOf, normalised } from '../inputs/images/golden-images.testing.js';
import { writeNpy } from '../inputs/npy.testing.js';
import { writeModel } from '../onnx/file.js';
import { Random } from '../util/random.js';
import { proxyCommand } from './proxy.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-proxy-images-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const outlets = { write: (text: string) => lines.push(text), note: () => undefined, exit: () => undefined };
  await proxyCommand(outlets)
    .exitOverride()
    .parseAsync([...args, '--threads', '1'], { from: 'user' });
  return lines.join('\n');
}
const json = async (...args: string[]) => JSON.parse(await run(...args, '--json'));
const scoresOf = async (...args: string[]) => (await json(...args)).networks[0].scores;

function write(name: string, data: string | Uint8Array): void {
  mkdirSync(join(at(name), '..'), { recursive: true });
  writeFileSync(at(name), data);
}

/** A classifier of images; its layer behind the channels takes them as they come. */
const network = (input: string, channels = 3) =>
  modelOf({
    inputs: [`x: ${input}`],
    nodes: [
      'a = Conv(x, w)',
      'h = Relu(a)',
      'p = GlobalAveragePool(h)',
      'f = Flatten(p)',
      'y = MatMul(f, v)',
    ],
    outputs: ['y'],
    initializers: [tensor('w', [6, channels, 3, 3]), tensor('v', [6, 3])],
  });
const last = modelOf({
  inputs: ['x: batch,4,5,3'],
  nodes: [
    't = Transpose(x) perm=0,3,1,2',
    'a = Conv(t, w)',
    'h = Relu(a)',
    'p = GlobalAveragePool(h)',
    'f = Flatten(p)',
    'y = MatMul(f, v)',
  ],
  outputs: ['y'],
  initializers: [tensor('w', [6, 3, 3, 3]), tensor('v', [6, 3])],
});

function saved(name: string, model: ReturnType<typeof modelOf>): string {
  writeModel(model, at(name));
  return at(name);
}

const CLASSES = ['pillow RGB', 'pillow L', 'pillow P 4 bits'];
CLASSES.forEach((name, i) => {
  write(`classes/${i}/image.png`, bytesOf(name));
});
const random = Random.seeded(1);
for (let i = 0; i < 20; i++) {
  const pixels = Buffer.from(Array.from({ length: 3 * 48 }, () => random.below(256)));
  write(`many/${i}.ppm`, Buffer.concat([Buffer.from('P6 8 6 255\n'), pixels]));
}
const NET = saved('net.onnx', network('batch,3,4,5'));
const SCORES = ['--init', 'seeded', '--proxies', 'snip,grad_norm,fisher,jacov,ntkt'];

describe('auspex proxy --images', () => {
  it('scores images as arrays that Pillow made of them, with classes from subfolders', async () => {
    const tensors = CLASSES.map(
      (name) => normalised.find((c) => c.name === name && c.channels === 3)!.tensor,
    );
    const arrays = ['--inputs', writeNpy(at('x.npy'), 'f4', [3, 3, 4, 5], tensors.flat())];
    const targets = ['--targets', writeNpy(at('y.npy'), 'i8', [3], [0, 1, 2])];
    const expected = await scoresOf(NET, ...SCORES, ...arrays, ...targets);
    const images = ['--images', at('classes'), '--batch', '3'];
    const channelsLast = saved('last.onnx', last);
    const open = saved('open.onnx', network('batch,3,h,w'));
    for (const found of [
      await scoresOf(NET, ...SCORES, ...images),
      await scoresOf(channelsLast, ...SCORES, ...images),
      await scoresOf(open, ...SCORES, ...images, '--dim', 'h=4', '--dim', 'w=5'),
      await scoresOf(open, ...SCORES, ...images, '--shape', 'x=3x3x4x5'),
    ]) {
      // NTKT is an estimate, with other random signs where the batch is fixed.
      const { ntkt, ...others } = expected;
      for (const [name, value] of Object.entries(others)) {
        expect(found[name] / (value as number)).toBeCloseTo(1, 6);
      }
      expect(Math.abs(found.ntkt / ntkt - 1)).toBeLessThan(0.3);
    }
  });

  it('gives grey networks grey images', () => {
    const settings = { seed: 0, batch: 1 };
    const images = { folder: at('classes/0'), mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] };
    const { batches, labels } = new ImageSamples(images, settings).options(network('batch,1,4,5', 1), 1);
    const { tensor: expected } = normalised.find((c) => c.name === 'pillow RGB' && c.channels === 1)!;
    expect(labels).toBeUndefined();
    expect(batches).toMatchObject([{ x: { type: 'float32', dims: [1, 1, 4, 5] } }]);
    const data = batches[0]!.x!.data as Float32Array;
    expected.forEach((value, i) => {
      expect(data[i]).toBeCloseTo(value, 5);
    });
  });

  it('takes other images by the seed, and as many batches as there are', () => {
    const images = { folder: at('many'), mean: [0], std: [1] };
    const batchesOf = (seed: number, wanted?: number, model = network('batch,3,6,8')) =>
      new ImageSamples(images, { seed }).options(model, wanted).batches.map(({ x }) => x!);
    const whole = batchesOf(1, 8);
    expect(whole.map(({ dims }) => dims)).toEqual([
      [8, 3, 6, 8],
      [8, 3, 6, 8],
    ]);
    const all = new Set(
      whole.flatMap(({ data }) =>
        Array.from({ length: 8 }, (_, i) => String(data.slice(144 * i, 144 * i + 144))),
      ),
    );
    expect(all.size).toBe(16);
    expect(batchesOf(1, 8)).toEqual(whole);
    expect(batchesOf(1, 5)[0]!.data).toEqual(whole[0]!.data.slice(0, 5 * 144));
    expect(batchesOf(2, 8)).not.toEqual(whole);
    // 16 unless told, or what the file has; 20 images are one batch of 16.
    expect(batchesOf(1).map(({ dims }) => dims[0])).toEqual([16]);
    expect(batchesOf(1, undefined, network('4,3,6,8')).map(({ dims }) => dims[0])).toEqual([4, 4]);
    expect(batchesOf(1, 2, network('4,3,6,8')).map(({ dims }) => dims[0])).toEqual([2, 2]);
  });

  it('gives batches to proxies that take several, and says what it did in the log', async () => {
    const args = [NET, '--init', 'seeded', '--proxies', 'zico,snip', '--images', at('many')];
    const found = await json(...args, '--batch', '10', '--mean', '0.5', '-o', at('log.jsonl'));
    expect(found.networks[0].scores).toEqual({ zico: expect.any(Number), snip: expect.any(Number) });
    const used = { folder: at('many'), mean: [0.5], std: [0.229, 0.224, 0.225] };
    expect(found.options.images).toEqual(used);
    expect(JSON.parse(readFileSync(at('log.jsonl'), 'utf8').split('\n')[0]!).images).toEqual(used);
    const other = [...args, '--batch', '10', '--mean', '0.4', '-o', at('log.jsonl'), '--resume'];
    await expect(run(...other)).rejects.toMatchObject({ code: 'PROXY_LOG_OTHER' });
    const few = (await json(...args)).networks[0];
    expect(few).toMatchObject({ scores: { zico: null }, errors: { zico: { code: 'PROXY_BATCH' } } });
    expect(few.scores.snip).toBeGreaterThan(0);
    expect((await json(...args, '--batch', '21')).networks[0].error).toMatchObject({
      code: 'PROXY_INPUT',
      message: 'a batch needs 21 images, but the folder has 20',
    });
  });

  it('tells of networks that take no images', async () => {
    const flat = modelOf({
      inputs: ['x: batch,9'],
      nodes: ['y = MatMul(x, w)'],
      outputs: ['y'],
      initializers: [tensor('w', [9, 3])],
    });
    const files = [
      saved('flat.onnx', flat),
      saved('five.onnx', network('batch,5,4,5', 5)),
      at('open.onnx'),
      NET,
    ];
    saved('open.onnx', network('batch,3,h,w'));
    const { networks } = await json(...files, '--proxies', 'snip', '--images', at('many'), '--batch', '2');
    expect(networks.map((n: { error?: { code: string } }) => n.error?.code)).toEqual([
      'PROXY_INPUT',
      'PROXY_INPUT',
      'PROXY_SHAPES',
      undefined,
    ]);
  });

  it('compares scores on images with a table', async () => {
    const label = { unit: '', provenance: 'made up', better: 'higher' };
    const head = { table: 1, space: 'nats-size', labels: { accuracy: label } };
    const rows = ['8:8:8:8:8,1', '16:16:16:16:16,2', '8:16:8:16:8,3'];
    write('table.csv', `# auspex ${JSON.stringify(head)}\narch,accuracy\n${rows.join('\n')}\n`);
    const table = ['correlate', '--data', at('table.csv'), '--label', 'accuracy', '--resamples', '100'];
    const small = ['--proxies', 'grad_norm', '--resolution', '8', '--batch', '3', '--classes', '3'];
    const [real, drawn] = [
      await json(...table, ...small, '--images', at('classes'), '-o', at('real.jsonl')),
      await json(...table, ...small, '-o', at('drawn.jsonl')),
    ];
    expect([real.rows, real.failed, drawn.failed]).toEqual([3, 0, 0]);
    expect(real.options.images.folder).toBe(at('classes'));
    const score = (name: string) =>
      JSON.parse(readFileSync(at(name), 'utf8').split('\n')[1]!).scores.grad_norm;
    expect(score('real.jsonl')).not.toBeCloseTo(score('drawn.jsonl'), 3);
  });

  it.each([
    [['--images', 'nowhere'], 'FILE_UNREADABLE'],
    [['--images', 'empty'], 'IMAGES_EMPTY'],
    [['--images', 'jpeg'], 'IMAGE_FORMAT'],
    [['--images', 'broken'], 'IMAGE_FORMAT'],
    [['--images', 'many', '--inputs', 'x.npy'], 'BAD_OPTION'],
    [['--images', 'many', '--std', '0'], 'BAD_OPTION'],
    [['--images', 'many', '--mean', '1,2'], 'commander.invalidArgument'],
    [['--images', 'many', '--mean', 'x'], 'commander.invalidArgument'],
    [['--mean', '0.5'], 'BAD_OPTION'],
  ])('refuses %j', async (args, code) => {
    write('jpeg/a.jpg', '');
    write('broken/a.png', bytesOf('pillow L').subarray(0, -20));
    mkdirSync(at('empty'), { recursive: true });
    const given = args.map((arg) => (/^[a-z]{4,}/.test(arg) ? at(arg) : arg));
    await expect(run(NET, '--proxies', 'snip', ...given)).rejects.toMatchObject({ code });
  });
});
