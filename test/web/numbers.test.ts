// Numbers that depend on what the user gives: sizes that the file leaves open, a device, another form of a network.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../page.testing.js';
import {
  CLI,
  cli,
  closeBrowser,
  EXAMPLES,
  openFiles,
  openPage,
  painted,
  type Viewer,
  view,
} from './browser.testing.js';
import { openModel } from './models.testing.js';

const resnet8 = join(EXAMPLES, 'resnet8.onnx');
const folder = mkdtempSync(join(tmpdir(), 'auspex-numbers-'));

async function macs(page: Page): Promise<number> {
  const total = page.locator('.totals div').first().locator('strong');
  return Number((await total.getAttribute('title'))!.replaceAll(',', ''));
}

describe.skipIf(!CHROMIUM)('numbers of the page (needs Chromium)', () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await view();
  });
  afterAll(async () => {
    await viewer.close();
    await closeBrowser();
    rmSync(folder, { recursive: true });
  });

  it('follow sliders of sizes that the file leaves open, and show polynomials', async () => {
    const path = join(folder, 'open.onnx');
    writeFileSync(path, openModel());
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, path);
    await page.getByRole('tab', { name: 'Numbers' }).click();
    await page.getByLabel('batch', { exact: true }).fill('3');
    await page.keyboard.press('Tab');
    await page.getByLabel('length', { exact: true }).fill('50');
    await page.keyboard.press('Tab');
    await expect.poll(() => macs(page)).toBe(3 * 50 * 8 * 4);
    // One step to the right.
    await page.getByLabel('length, slider').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => macs(page)).toBe(3 * 51 * 8 * 4);
    expect(await page.locator('.totals code').first().textContent()).toMatch(
      /32\*batch\*length|32\*length\*batch/,
    );
    await done();
  });

  it('follow the length of sequences of a language model', async () => {
    const { page, done } = await openPage(viewer.address);
    await page.getByText('GPT-2 (HW-GPT-Bench)').click();
    await painted(page);
    const text = (await page.locator('nav .tab.current button').first().getAttribute('title'))!;
    await page.getByRole('tab', { name: 'Numbers' }).click();
    await page.locator('.totals').waitFor();
    await page.getByLabel('input[1] (fixed in the file)').fill('64');
    await page.keyboard.press('Tab');
    const said = cli<{ totals: { macs: number } }>('inspect', text, '--resolution', '64', '--json');
    await expect.poll(() => macs(page), { timeout: 15_000 }).toBe(said.totals.macs);
    await done();
  });

  it('take a device of the user', async () => {
    const widths = (i: number): number[] => [1, 2, 3, 4, 5].map((k) => 8 * (1 + ((i * k * 7 + k) % 8)));
    const rows = Array.from({ length: 14 }, (_, i) => {
      const sum = widths(i).reduce((all, width) => all + width, 0);
      return `${widths(i).join(':')},${1 + sum / 30}`;
    });
    writeFileSync(join(folder, 'mine.csv'), `arch,latency\n${rows.join('\n')}\n`);
    const device = join(folder, 'mine.device.json');
    const trained = spawnSync(
      process.execPath,
      [
        ...[CLI, 'train', 'latency', '--data', join(folder, 'mine.csv'), '--space', 'nats-size'],
        ...['--label', 'latency:ms:lower', '-o', device],
      ],
      { encoding: 'utf8' },
    );
    expect([trained.status, trained.stderr]).toEqual([0, expect.anything()]);
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet8);
    await page.getByRole('tab', { name: 'Predictions' }).click();
    await page.waitForSelector('.answer .value', { timeout: 60_000 });
    await page.locator('input[type=file]').first().setInputFiles(device);
    const row = page.locator('tr').filter({ has: page.getByRole('cell', { name: 'mine', exact: true }) });
    await row.waitFor({ timeout: 60_000 });
    const { predictions } = cli<{ predictions: { value: number }[] }>(
      'predict',
      resnet8,
      '--device',
      device,
      '--json',
    );
    expect(await row.locator('td').nth(1).textContent()).toContain(
      String(Number(predictions[0]!.value.toPrecision(4))),
    );
    // Devices of the plot in another order.
    const names = (): Promise<string[]> =>
      page.locator('figure svg [text-anchor=end] text, figure svg text').allTextContents();
    const before = await names();
    await page.getByLabel('Order of devices').selectOption('name');
    await expect.poll(names).not.toEqual(before);
    await done();
  });

  it('compare a network with what convert made of it', async () => {
    const path = join(folder, 'simple.onnx');
    cli('convert', resnet8, '--simplify', '-o', path, '--json');
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet8, path);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.waitForSelector('.verdict');
    const { added, removed, changed, cost } = cli<
      Record<'added' | 'removed' | 'changed', unknown[]> & { cost: Record<'a' | 'b', { nodes: number }> }
    >('compare', resnet8, path, '--json', '--samples', '0');
    expect(await page.locator('.head .muted').first().textContent()).toContain(
      `${changed.length} changed, ${added.length} added, ${removed.length} removed`,
    );
    expect(removed.length).toBeGreaterThan(0);
    const nodes = page.locator('.tables tbody tr').first();
    expect(await nodes.textContent()).toContain(`Nodes${cost.a.nodes}${cost.b.nodes}`);
    // What the folding of BatchNormalization did is marked in the graph before.
    expect(await page.locator('.side').first().locator('.legend').textContent()).toContain('removed');
    await done();
  });
});
