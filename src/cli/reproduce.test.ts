// The command on made-up tables of a few hundred rows, with trainings of a few steps.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../ops/index.js';
import { reproduceDocument, reproduceListDocument } from '../app/documents/reproduce.js';
import type { DrawResult } from '../reproduce/result.js';
import { runTable } from '../reproduce/run-table.js';
import { reproducedTable, TABLES } from '../reproduce/tables/index.js';
import { nasBench201 } from '../spaces/cells/nasbench201.js';
import { AuspexError } from '../util/errors.js';
import { Random } from '../util/random.js';
import { reproduceCommand } from './reproduce.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-reproduce-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (...names: string[]): string => join(folder, ...names);

const DEVICES = ['1080ti_1', 'gold_6240', 'pixel2', 'samsung_s7', 'eyeriss', 'fpga'];
const ROWS = 420;

/** The tables with models that are trained in a second. */
const SMALL = TABLES.map((table) => ({
  ...table,
  cells: table.cells.map((cell) => {
    const { rate, members, model } = { rate: 5e-3, members: 1, model: { width: 16, layers: 2 } };
    if (cell.kind !== 'nn-former') return cell;
    const { isPretrained: _, ...rest } = cell;
    return {
      ...rest,
      recipe: { isFromScratch: true, rate, members, model: { ...model, ...cell.recipe?.model } },
    };
  }),
}));

/** Convolutions and skips that something feeds: a number between 0 and 1 that needs no table. */
function strength(arch: ReturnType<typeof nasBench201.sample>): number {
  const worth: Record<string, number> = { nor_conv_3x3: 3, nor_conv_1x1: 2, skip_connect: 1 };
  const { ops } = nasBench201.prunedCell!(arch);
  return ops.reduce((sum, op) => sum + (worth[op] ?? 0), 0) / 18;
}

beforeAll(() => {
  const random = Random.seeded(1);
  const sample = (count: number) =>
    Array.from({ length: count }, () => {
      const arch = nasBench201.sample(random);
      return { text: nasBench201.format(arch), y: strength(arch) + 0.001 * random.float() };
    });
  // What is tested is the opposite of what is learned: a result shows which was which.
  writeFileSync(
    at('nasbench201.csv'),
    `arch,cifar10_test,cifar100_test,imagenet16_test,cifar10_valid,params_M\n${sample(ROWS)
      .map(({ text, y }) => `${text},${(90 - 30 * y).toFixed(4)},50,30,${(60 + 30 * y).toFixed(4)},1\n`)
      .join('')}`,
  );
  const head = {
    table: 1,
    space: 'nasbench201',
    labels: Object.fromEntries(
      DEVICES.map((name) => [name, { unit: 'ms', better: 'lower', provenance: 'made up' }]),
    ),
  };
  writeFileSync(
    at('nasbench201_latency.csv'),
    `# auspex ${JSON.stringify(head)}\narch,${DEVICES.join(',')}\n${sample(1160)
      .map(
        ({ text, y }) => `${text},${DEVICES.map((_, i) => ((i + 1) * (1 + 4 * y)).toFixed(4)).join(',')}\n`,
      )
      .join('')}`,
  );
});

async function run(...args: string[]): Promise<string> {
  const printed: string[] = [];
  const command = reproduceCommand({ tables: SMALL, write: (text) => printed.push(text) }).exitOverride();
  try {
    await command.parseAsync(args, { from: 'user' });
  } finally {
    process.exitCode = undefined;
  }
  return printed.join('\n');
}

/** Its schema describes it, and nothing more. */
async function json(...args: string[]) {
  const document = JSON.parse(await run(...args, '--json'));
  const schema = 'tables' in document ? reproduceListDocument : reproduceDocument;
  expect(schema.parse(document)).toEqual(document);
  return document;
}

const resultOf = (...names: string[]): DrawResult => JSON.parse(readFileSync(at(...names), 'utf8'));

describe('auspex reproduce', () => {
  const common = ['--data', folder, '--threads', '1', '--draws', '1'];

  it('lists the tables', async () => {
    const { tables, schema } = await json('--out', at('none'));
    expect(schema).toBe('auspex.reproduce.list/1');
    expect(tables.map(({ id }: { id: string }) => id)).toEqual(TABLES.map(({ id }) => id));
    expect(tables[0]).toMatchObject({ done: 0, draws: 63, data: ['nasbench201'] });
    expect(existsSync(at('none'))).toBe(false);
    expect(await run('--out', at('none'))).toMatchSnapshot();
  });

  it('shows what a table has before anything is run', async () => {
    expect(await run('nb201-accuracy', '--out', at('none'))).toMatchSnapshot();
  });

  it('trains on one label, tests on another, and does nothing twice', async () => {
    const args = [
      'nb201-accuracy',
      ...common,
      '--out',
      at('v'),
      '--only',
      '^156-v-nn-former$',
      '--steps',
      '60',
    ];
    const first = await json(...args);
    expect(first).toMatchObject({ schema: 'auspex.reproduce/1', done: 1, draws: 1, ran: 1, failures: [] });
    const [line] = first.lines;
    expect(line).toMatchObject({ cell: '156-v-nn-former', kind: 'nn-former', rows: 156, seeds: [0] });
    expect(line.metrics['tau-b'].mean).toBeLessThan(-0.4);
    expect(line.verdict).toBe('below');
    expect(line.published[0].value).toBe(0.804);

    const file = ['v', 'nb201-accuracy', '156-v-nn-former.0.json'];
    const result = resultOf(...file);
    expect(result.rows).toEqual({ train: 156, validation: 200, test: ROWS - 356, development: 0 });
    expect(result.recipe).toMatchObject({ steps: 60, model: { width: 16 } });
    // What is validated with is what was learned.
    expect(result.validation[0]).toBeGreaterThan(0.4);
    expect(result.labels[0]!.metrics['tau-b']!.estimate).toBe(line.metrics['tau-b'].mean);
    expect(readdirSync(at('v', 'nb201-accuracy'))).toEqual(['156-v-nn-former.0.json']);

    expect(await json(...args)).toMatchObject({ done: 1, ran: 0, lines: first.lines });
    expect(resultOf(...file)).toEqual(result);

    // Done with 60 steps is not done as the recipe has it, and is not overwritten.
    const recipe = args.slice(0, -2);
    expect(await json('nb201-accuracy', '--out', at('v'))).toMatchObject({ done: 0, otherSettings: 1 });
    await expect(run(...recipe)).rejects.toMatchObject({ code: 'REPRODUCE_SETTINGS' });
  });

  it('writes Markdown and a page', async () => {
    const [markdown, page] = [at('t.md'), at('t.html')];
    const args = ['nb201-accuracy', '--out', at('v'), '--steps', '60', '--draws', '1'];
    await run(...args, '--markdown', markdown, '--report', page);
    const text = readFileSync(markdown, 'utf8');
    expect(text).toContain('--steps 60');
    expect(text).toContain('a trial, not a result');
    expect(text).not.toContain(folder);
    expect(text.split('\n').filter((line) => line.startsWith('| 156-v-nn-former '))).toHaveLength(1);
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('<svg');
    expect(html).toContain('NN-Former, published');
  });

  it('fits what is not trained in steps', async () => {
    const args = ['nb201-accuracy', ...common, '--out', at('v'), '--only', '^156-t-(forest|flops)'];
    const { lines, done } = await json(...args);
    expect(done).toBe(2);
    for (const { metrics } of lines) expect(metrics['tau-b'].mean).toBeGreaterThan(0.3);
    const { recipe, validation } = resultOf('v', 'nb201-accuracy', '156-t-forest.0.json');
    expect(recipe).toHaveProperty('trees');
    expect(validation).toEqual([]);
  });

  it('goes on with what was stopped, to the same result', async () => {
    const table = reproducedTable('nb201-accuracy', SMALL);
    const options = {
      data: folder,
      draws: 1,
      steps: 6,
      threads: 1,
      version: 'test',
      only: /^156-v-nn-former$/,
    };
    const { results } = await runTable(table, { ...options, out: at('whole') });
    const controller = new AbortController();
    const stopped = runTable(table, {
      ...options,
      out: at('stopped'),
      onProgress: (part) => part > 0.3 && controller.abort(),
      signal: controller.signal,
    });
    await expect(stopped).rejects.toMatchObject({ code: 'TRAINING_STOPPED' });
    const left = readdirSync(at('stopped', 'nb201-accuracy'));
    expect(left).toHaveLength(1);
    expect(left[0]).toMatch(/^156-v-nn-former\.0\..*\.checkpoint$/);
    const parts: number[] = [];
    const again = await runTable(table, {
      ...options,
      out: at('stopped'),
      onProgress: (part) => parts.push(part),
    });
    expect(parts[0]).toBeGreaterThan(0.1);
    expect(again.results[0]!.isResumed).toBe(true);
    expect(again.results[0]!.labels).toEqual(results[0]!.labels);
    expect(readdirSync(at('stopped', 'nb201-accuracy'))).toEqual(['156-v-nn-former.0.json']);
  });

  it('goes on after a cell that fails', async () => {
    // The table has no 1,563 rows.
    const args = ['nb201-accuracy', ...common, '--out', at('some'), '--steps', '2'];
    const found = await json(...args, '--only', '^(1563|156)-t-nn');
    expect(found).toMatchObject({ done: 1, draws: 2, ran: 1 });
    expect(found.failures).toEqual([
      { cell: '1563-t-nn-former', seed: 0, error: expect.objectContaining({ code: 'SPLIT_SIZE' }) },
    ]);
  });

  it('fine-tunes a trunk of other devices, on rows that are tested alike', async () => {
    const args = ['latency-transfer', ...common, '--out', at('transfer'), '--steps', '2', '--only', '^fpga'];
    expect(await json(...args)).toMatchObject({ done: 2, failures: [] });
    const [tuned, alone] = ['trunk', 'scratch'].map((from) =>
      resultOf('transfer', 'latency-transfer', `fpga-50-${from}.0.json`),
    );
    expect(tuned!.rows).toEqual({ train: 50, validation: 0, test: 60, development: 0 });
    expect(alone!.rows).toEqual(tuned!.rows);
    expect(tuned!.settings.trunk).toEqual(DEVICES.slice(0, 5));
    expect(tuned!.labels[0]!.metrics.mape).not.toEqual(alone!.labels[0]!.metrics.mape);
  });

  it('does again what it is forced to', async () => {
    const args = ['nb201-accuracy', ...common, '--out', at('some'), '--steps', '3', '--only', '^156-t-nn'];
    expect(await json(...args, '--force')).toMatchObject({ ran: 1 });
    const result = resultOf('some', 'nb201-accuracy', '156-t-nn-former.0.json');
    expect(result.settings.recipe.steps).toBe(3);
  });

  it('says which file is missing and where it comes from', async () => {
    const failed = run('nb101-accuracy', ...common, '--out', at('no'));
    await expect(failed).rejects.toThrow(AuspexError);
    await expect(failed).rejects.toMatchObject({
      code: 'REPRODUCE_DATA',
      message: expect.stringContaining('nasbench101.csv.gz'),
      hint: expect.stringContaining('auspex data import'),
    });
  });

  it('refuses what it cannot do', async () => {
    await expect(run('nb301')).rejects.toMatchObject({ code: 'REPRODUCE_UNKNOWN' });
    await expect(run('latency', '--only', 'nothing')).rejects.toMatchObject({ code: 'REPRODUCE_NO_CELL' });
    await expect(run('--data', folder)).rejects.toMatchObject({ code: 'BAD_OPTION' });
    writeFileSync(at('some', 'nb201-accuracy', '469-t-nn-former.0.json'), '{}');
    await expect(run('nb201-accuracy', '--out', at('some'))).rejects.toMatchObject({
      code: 'REPRODUCE_RESULT',
    });
  });
});
