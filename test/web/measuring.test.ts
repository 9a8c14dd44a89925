// Measuring in the page: with wasm everywhere, with WebGPU where the browser has it, and what the roofline makes of it.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../page.testing.js';
import {
  closeBrowser,
  EXAMPLES,
  openFiles,
  openPage,
  SOFTWARE_GPU,
  type Viewer,
  view,
} from './browser.testing.js';

const resnet8 = join(EXAMPLES, 'resnet8.onnx');

describe.skipIf(!CHROMIUM)('measuring in the page (needs Chromium)', () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await view();
  });
  afterAll(async () => {
    await viewer.close();
    await closeBrowser();
  });

  it.each([
    ['wasm', []],
    ['webgpu', SOFTWARE_GPU],
  ] as const)('gives times of nodes and of the network with %s', async (provider, flags) => {
    const { page, done } = await openPage(viewer.address, { flags });
    await openFiles(page, resnet8);
    await page.getByRole('tab', { name: 'Numbers' }).click();
    await page.waitForSelector('text=/Without a machine/');
    await page.getByRole('tab', { name: 'Graph' }).click();
    await page.getByLabel('Runtime of measurements').selectOption(provider);
    await page.getByRole('button', { name: 'Measure', exact: true }).click();
    await page.waitForSelector('text=Most Measured time', { timeout: 110_000 });
    const title = { wasm: 'wasm, 1 thread', webgpu: 'WebGPU' }[provider];
    expect(await page.locator('aside').textContent()).toContain(
      `measured here (${title}), each operator by itself`,
    );
    expect(await page.locator('aside ol li').count()).toBe(10);
    // Measured nodes have roofs.
    await page.getByRole('tab', { name: 'Numbers' }).click();
    await page.waitForSelector('text=/How fast each node was/');
    await page.waitForSelector('figure svg >> text=/FLOP\\/s, .*B\\/s/');
    await page.getByRole('tab', { name: 'Predictions' }).click();
    expect(await page.getByLabel('Runtime of measurements').inputValue()).toBe(provider);
    await page.getByRole('button', { name: 'Measure here' }).click();
    await page.waitForSelector(`text=/with ${title}: median of \\d+ runs/`, { timeout: 110_000 });
    await done();
  });

  it('says that there is no WebGPU, and offers wasm', async () => {
    const { page, complaints, done } = await openPage(viewer.address);
    await openFiles(page, resnet8);
    const runtime = page.getByLabel('Runtime of measurements');
    // The browser of the tests has WebGPU, but no adapter for it.
    await runtime.selectOption('webgpu');
    await page.waitForSelector('text=/No WebGPU: this browser has no adapter for it. Measure with wasm/');
    expect(await runtime.inputValue()).toBe('wasm');
    expect(await runtime.locator('option[value=webgpu]').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Measure', exact: true }).click();
    await page.waitForSelector('text=Most Measured time', { timeout: 90_000 });
    // The browser notes that, too.
    complaints.splice(
      0,
      complaints.length,
      ...complaints.filter((text) => !/No available adapters/.test(text)),
    );
    await done();
  });

  it('draws the roofs of a device that is known', async () => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet8);
    await page.getByRole('tab', { name: 'Numbers' }).click();
    await page.getByLabel('GFLOP/s of a device').fill('100');
    await page.getByLabel('GB/s of a device').fill('20');
    await page.waitForSelector('figure svg >> text=100 GFLOP/s, 20.0 GB/s');
    await page.waitForSelector('text=/left of the ridge, memory is the limit/');
    await done();
  });
});
