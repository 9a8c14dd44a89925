// The page from end to end in Chromium: graph, overlays, numbers, predictions, comparison, taking away.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readModel } from '../../src/onnx/file.js';
import { requestNamed, scoreNetwork } from '../../src/proxies/index.js';
import { CHROMIUM } from '../page.testing.js';
import {
  cli,
  closeBrowser,
  EXAMPLES,
  openFiles,
  openPage,
  painted,
  saved,
  settled,
  type Viewer,
  view,
} from './browser.testing.js';

const resnet8 = join(EXAMPLES, 'resnet8.onnx');
const resnet18 = join(EXAMPLES, 'resnet18.onnx');
const resnet34 = join(EXAMPLES, 'resnet34.onnx');
const folder = mkdtempSync(join(tmpdir(), 'auspex-web-'));

describe.skipIf(!CHROMIUM)('the page (needs Chromium)', () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await view();
  });
  afterAll(async () => {
    await viewer.close();
    await closeBrowser();
    rmSync(folder, { recursive: true });
  });

  it('draws the graph: groups open by a click, keys walk, search finds, the panel tells', async () => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet18);
    await page.getByRole('button', { name: 'Close all' }).click();
    await settled(page);
    const canvas = page.getByRole('application');
    const box = (await canvas.boundingBox())!;
    await page.getByRole('button', { name: 'Fit' }).click();
    await page.getByRole('button', { name: 'Open all' }).click();
    await settled(page);
    await page.getByRole('searchbox').fill('1x512x7x7');
    await page.waitForSelector('text=/of \\d+/');
    await page.keyboard.press('Enter');
    expect(await page.locator('aside').textContent()).toMatch(/MACs/);
    await page.getByRole('searchbox').fill('');
    await canvas.focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const first = await page.locator('.selection').textContent();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('.selection').textContent()).not.toBe(first);
    await page.getByRole('searchbox').fill('Conv');
    await page.keyboard.press('Enter');
    await page.waitForSelector('aside >> text=kernel_shape');
    const panel = await page.locator('aside').textContent();
    expect(panel).toMatch(/Gradient: available/);
    expect(panel).toMatch(/W \(weight\)/);
    // A click in the middle of the drawing selects what is there.
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, -200);
    await settled(page);
    await done();
  });

  it('colours by cost, lists the most expensive nodes, and takes measured times', async () => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet8);
    await page.getByLabel('Colour the graph by').selectOption('macs');
    const items = page.locator('aside ol li');
    expect(await items.count()).toBe(10);
    await items.first().getByRole('button').click();
    await page.waitForSelector('aside >> text=kernel_shape');
    const { nodes } = cli<{ nodes: { name: string; operator: string; macs: number }[] }>(
      'inspect',
      resnet8,
      '--json',
    );
    const [most] = [...nodes].sort((a, b) => b.macs - a.macs);
    expect(await items.first().textContent()).toContain(most!.name);
    writeFileSync(
      join(folder, 'times.json'),
      JSON.stringify(profileOf(nodes.map(({ name, operator }) => ({ name, operator })))),
    );
    await page.locator('input[type=file]').first().setInputFiles(join(folder, 'times.json'));
    await page.waitForSelector('text=Most Measured time');
    await done();
  });

  it('colours by latency that is predicted for a device, and says how it was spread', async () => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet18);
    await page.getByLabel('Colour the graph by').selectOption('latency');
    await page.waitForSelector('text=Most Predicted latency', { timeout: 60_000 });
    expect(await page.locator('aside').textContent()).toMatch(/spread by the device/);
    const total = async (): Promise<number> => {
      await page.getByRole('button', { name: 'Close all' }).click();
      await settled(page);
      return Number(await page.getByRole('application').getAttribute('data-overlay-sum'));
    };
    const predicted = (device: string): number => {
      const found = cli<{ predictions: { value: number }[] }>(
        'predict',
        resnet18,
        '--device',
        device,
        '--json',
      );
      return found.predictions[0]!.value;
    };
    // Parts of a prediction add up to it.
    const device = page.getByLabel('Device of the predicted latency');
    expect((await total()) / predicted(await device.inputValue())).toBeCloseTo(1, 3);
    await device.selectOption('epyc-onnxruntime');
    await expect.poll(total).toBeCloseTo(predicted('epyc-onnxruntime'), 2);
    await done();
  });

  it.each(['synflow', 'snip'])('colours by %s of the library, layer by layer', async (proxy) => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet8);
    await page.getByLabel('Colour the graph by').selectOption(proxy);
    await page.waitForSelector('text=/Most S/', { timeout: 60_000 });
    expect(await page.locator('aside').textContent()).toMatch(/the weights of the file/);
    const found = await scored(resnet8, proxy);
    const [most] = [...found].sort((a, b) => b.value - a.value);
    const sum = found.reduce((all, { value }) => all + value, 0);
    expect(await page.locator('aside ol li').count()).toBe(Math.min(10, found.length));
    expect(await page.locator('aside ol li .value').first().textContent()).toBe(
      `${((100 * most!.value) / sum).toFixed(1)}%`,
    );
    await done();
  });

  it('counts what the command line counts, at any sizes', async () => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet18);
    await page.getByRole('tab', { name: 'Numbers' }).click();
    const total = page.locator('.totals div').first().locator('strong');
    const title = async (): Promise<number> =>
      Number((await total.getAttribute('title'))!.replaceAll(',', ''));
    const { totals } = cli<{ totals: { macs: number } }>('inspect', resnet18, '--json');
    await total.waitFor();
    expect(await title()).toBe(totals.macs);
    await page.getByLabel('batch (fixed in the file)').fill('4');
    await page.keyboard.press('Tab');
    await expect.poll(title).toBe(4 * totals.macs);
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByLabel('resolution (fixed in the file)').fill('320');
    await page.keyboard.press('Tab');
    const larger = cli<{ totals: { macs: number } }>(
      'inspect',
      resnet18,
      '--shape',
      'image=1x3x320x320',
      '--json',
    );
    await expect.poll(title).toBe(larger.totals.macs);
    await page.getByRole('combobox', { name: 'Cost by' }).selectOption('node');
    await page.getByRole('button', { name: /^Parameters/ }).click();
    expect(await page.locator('tbody tr').first().textContent()).toContain('512');
    await page.waitForSelector('figure svg');
    const csv = await saved(page, () => page.getByRole('button', { name: 'CSV' }).click());
    expect(csv.bytes.toString().split('\n')[0]).toContain('Node,Operator,Output,MACs');
    await done();
  });

  it('predicts what the command line predicts', async () => {
    interface Document {
      readonly networks: readonly { readonly predictions: readonly { label: string; value: number }[] }[];
    }
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet18);
    await page.getByRole('tab', { name: 'Predictions' }).click();
    await page.waitForSelector('.answer .value', { timeout: 60_000 });
    const text = JSON.stringify(cli<Document>('predict', resnet18, '--json'));
    const [, value] = /"imagenet_top1".*?"value":([\d.]+)/.exec(text)!;
    expect(await page.locator('.answer .value').first().textContent()).toContain(
      String(Number(Number(value).toPrecision(4))),
    );
    expect(await page.locator('.predictions').textContent()).toContain('resnet18 224');
    await done();
  });

  it('compares two networks, and shows several as a Pareto plot', async () => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet18, resnet34);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.waitForSelector('.verdict');
    expect(await page.locator('.verdict').textContent()).toBe('different');
    const { added, removed, changed } = cli<Record<'added' | 'removed' | 'changed', unknown[]>>(
      'compare',
      resnet18,
      resnet34,
      '--json',
      '--samples',
      '0',
    );
    expect(await page.locator('.head .muted').first().textContent()).toContain(
      `${changed.length} changed, ${added.length} added, ${removed.length} removed`,
    );
    await page.getByRole('button', { name: 'Pareto' }).click();
    await page.waitForSelector('figure svg circle', { timeout: 60_000 });
    await expect.poll(() => page.locator('figure svg .points circle').count()).toBe(2);
    await page.locator('figure svg .points circle').first().hover();
    // What is pointed at is found in the next frame.
    await page.waitForTimeout(500);
    await page.mouse.down();
    await page.mouse.up();
    await painted(page);
    await done();
  });

  it('gives away pictures, a page without scripts, and a link to the same view', async () => {
    const own = await view(resnet18);
    try {
      const { page, context, done } = await openPage(own.address);
      await painted(page);
      await page.getByLabel('Colour the graph by').selectOption('parameters');
      const svg = await saved(page, () => page.getByRole('button', { name: 'SVG' }).click());
      expect(svg.bytes.toString()).toMatch(/^<svg [^>]*>.*Conv.*<\/svg>$/s);
      const png = await saved(page, () => page.getByRole('button', { name: 'PNG' }).click());
      expect(png.bytes.subarray(1, 4).toString()).toBe('PNG');
      const html = await saved(page, () => page.getByRole('button', { name: 'Save page' }).click());
      expect(html.bytes.toString()).toContain('Cost by operator');
      expect(html.bytes.toString()).not.toMatch(/<script/i);
      await page.getByRole('tab', { name: 'Numbers' }).click();
      await page.getByRole('button', { name: 'Copy link' }).click();
      const link = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(link).toContain('#');
      const again = await context.newPage();
      await again.goto(link);
      await again.waitForSelector('.totals');
      expect(await again.getByRole('tab', { name: 'Numbers' }).getAttribute('aria-selected')).toBe('true');
      await again.getByRole('tab', { name: 'Graph' }).click();
      expect(await again.getByLabel('Colour the graph by').inputValue()).toBe('parameters');
      await done();
    } finally {
      await own.close();
    }
  });

  it('works without a connection once it is loaded', async () => {
    const own = await view();
    const { page, context, complaints } = await openPage(own.address);
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await own.close();
    await context.setOffline(true);
    await page.reload();
    await openFiles(page, resnet8);
    await context.close();
    expect(complaints.filter((text) => !/ERR_|Failed to load/.test(text))).toEqual([]);
  });
});

/** What the library says of each layer, in ONNX Runtime for Node. */
async function scored(path: string, proxy: string): Promise<readonly { weight: string; value: number }[]> {
  const [outcome] = await scoreNetwork(readModel(path), [requestNamed(proxy)], () => ({ batch: 1, seed: 0 }));
  if (!('score' in outcome!)) throw outcome!.error;
  return outcome.score.details.layers as { weight: string; value: number }[];
}

/** Times of nodes as `auspex measure --profile --json` has them. */
function profileOf(nodes: readonly { name: string; operator: string }[]): object {
  const rows = nodes.map((node, i) => ({
    ...node,
    ...{ block: [], timeMs: 1 / (i + 1), share: 0, fused: [], kernels: [], flops: null, bytes: 0 },
    ...{ flopsPerSecond: null, bytesPerSecond: 0, roof: 'memory', reached: 0 },
  }));
  const profile = {
    ...{
      runs: 1,
      runMs: 1,
      kernelMs: 1,
      mapped: 1,
      inserted: 0,
      roofs: { flopsPerSecond: 1, bytesPerSecond: 1 },
    },
    ...{ nodes: rows, kernels: [], removed: [] },
  };
  const summary = { runs: 1, median: 1, interval: null, mean: 1, min: 1, max: 1, p90: 1, p99: null };
  return {
    ...{
      schema: 'auspex.measure/1',
      auspex: '0',
      date: '',
      runner: null,
      processes: 1,
      seed: 0,
      isComplete: true,
      errors: [],
    },
    machine: { processor: '', cores: 1, memoryBytes: 1, platform: '', governor: null, node: '' },
    rule: { precision: 1, leastRuns: 1, mostRuns: 1, seconds: 1, warmupSeconds: 1, confidence: 1 },
    rows: [
      {
        ...{
          network: 'resnet8.onnx',
          hash: null,
          label: '',
          inputs: [],
          chosenSizes: null,
          isOwnFile: true,
          threads: 1,
        },
        ...{
          provider: 'cpu',
          optimization: 'all',
          runtime: null,
          wallMs: summary,
          cpuMs: null,
          first: null,
          created: null,
        },
        ...{ warmupRuns: 0, blocks: [], noise: { wallPerCpu: null, drift: 0, warnings: [] }, memory: null },
        ...{ predictedMemory: null, regression: null, profile, stopped: null },
      },
    ],
  };
}
