// How the page looks and behaves at all widths, light and dark: pictures for people in build/page, and axe for what can be
// checked by a program. Also: memory, and frames of a large graph.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../page.testing.js';
import {
  closeBrowser,
  EXAMPLES,
  openFiles,
  openPage,
  PICTURES,
  ROOT,
  settled,
  type Viewer,
  view,
} from './browser.testing.js';
import { brokenModel, chainModel } from './models.testing.js';
import { searchLog } from './search-log.testing.js';

const resnet18 = join(EXAMPLES, 'resnet18.onnx');
const resnet34 = join(EXAMPLES, 'resnet34.onnx');
const resnet8 = join(EXAMPLES, 'resnet8.onnx');
const FIXTURES = join(import.meta.dirname, 'fixtures');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'auspex-looks-'));

/** What axe finds serious or worse. */
async function serious(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  );
}

/** Scrolls of something that is wider than the window. */
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Takes a picture, and checks what is on it. */
function pictures(page: Page, end: string): (name: string) => Promise<void> {
  return async (name) => {
    await page.screenshot({ path: join(PICTURES, `${name}${end}.png`) });
    expect([name, await serious(page)]).toEqual([name, []]);
    expect([name, await page.evaluate(OVERFLOW)]).toEqual([name, 0]);
  };
}

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

  describe.each(['light', 'dark'] as const)('in %s', (scheme) => {
    it.each([390, 1280, 2560])('is whole at %i pixels', async (width) => {
      const { page, done } = await openPage(viewer.address, {
        width,
        height: width < 500 ? 844 : 900,
        scheme,
      });
      const shoot = pictures(page, `-${width}-${scheme}`);
      await page.locator('h1').waitFor();
      await shoot('start');
      await openFiles(page, resnet34, resnet18);
      await page.getByLabel('Colour the graph by').selectOption('macs');
      await settled(page);
      await shoot('graph');
      await page.getByRole('tab', { name: 'Numbers' }).click();
      await page.waitForSelector('figure svg');
      await shoot('numbers');
      await page.getByRole('tab', { name: 'Predictions' }).click();
      await page.waitForSelector('.answer .value', { timeout: 60_000 });
      await shoot('predictions');
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.waitForSelector('.verdict');
      await settled(page);
      await shoot('compare');
      await page.getByRole('button', { name: 'Pareto' }).click();
      await page.waitForSelector('figure svg circle', { timeout: 60_000 });
      await page.waitForTimeout(500);
      await shoot('pareto');
      await done();
    });

    it.each([390, 1280, 2560])('shows overlays, problems and reports at %i pixels', async (width) => {
      const size = { width, height: width < 500 ? 844 : 900, scheme };
      const { page, done } = await openPage(viewer.address, size);
      const shoot = pictures(page, `-${width}-${scheme}`);
      const give = (path: string): Promise<void> =>
        page.locator('input[type=file]').first().setInputFiles(path);
      await openFiles(page, resnet8);
      await page.getByLabel('Colour the graph by').selectOption('latency');
      await page.locator('.legend').first().waitFor({ timeout: 60_000 });
      await page.getByRole('searchbox').fill('Conv');
      await page.keyboard.press('Enter');
      const details = page.getByRole('button', { name: 'Show details' });
      if (await details.isVisible()) await details.click();
      await page.getByRole('button', { name: 'Statistics' }).first().click();
      await page.waitForSelector('text=/deviation/');
      await settled(page);
      await shoot('latency');
      await page.getByRole('tab', { name: 'Numbers' }).click();
      await page.getByLabel('batch (fixed in the file)').fill('16');
      await page.keyboard.press('Tab');
      await page.locator('.numbers').evaluate((box) => box.scrollTo(0, 1e6));
      await page.waitForSelector('figure svg');
      await shoot('numbers-end');
      writeFileSync(join(folder, 'mismatch.onnx'), brokenModel());
      await give(join(folder, 'mismatch.onnx'));
      await page.locator('[role=alert]').waitFor();
      await shoot('problem');
      await page.getByRole('button', { name: /^Close mismatch/ }).click();
      writeFileSync(join(folder, 'trials.jsonl'), searchLog(0, 3000));
      await give(join(folder, 'trials.jsonl'));
      await page.waitForSelector('text=3,000 trials');
      await expect.poll(() => page.locator('figure svg').count()).toBe(4);
      await shoot('search');
      await give(join(FIXTURES, 'scores.jsonl'));
      await page.waitForSelector('text=24 networks');
      await page.waitForSelector('figure svg circle');
      await shoot('scores');
      await give(join(FIXTURES, 'evaluation.json'));
      await page.waitForSelector('.compared circle');
      await shoot('evaluation');
      await done();
    });
  });

  it.each([360, 3840])('fits into a window of %i pixels', async (width) => {
    const { page, done } = await openPage(viewer.address, { width, height: width < 500 ? 740 : 2160 });
    const shoot = pictures(page, `-${width}-light`);
    await page.locator('h1').waitFor();
    await shoot('start');
    await openFiles(page, resnet34, resnet18);
    await shoot('graph');
    await page.getByRole('tab', { name: 'Numbers' }).click();
    await page.waitForSelector('figure svg');
    await shoot('numbers');
    await page.getByRole('tab', { name: 'Predictions' }).click();
    await page.waitForSelector('.answer .value', { timeout: 60_000 });
    await shoot('predictions');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.waitForSelector('.verdict');
    await settled(page);
    await shoot('compare');
    await done();
  });

  it('is printed without its tools, and in full', async () => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet18);
    await page.getByRole('tab', { name: 'Numbers' }).click();
    await page.waitForSelector('figure svg');
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Open …' }).isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Save Roofline as SVG' }).isVisible()).toBe(false);
    // Nothing scrolls inside of the page: all of it is on paper.
    const inner = `[...document.querySelectorAll('main *')].filter((e) => e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(e).overflowY)).length`;
    expect(await page.evaluate(inner)).toBe(0);
    await page.screenshot({ path: join(PICTURES, 'numbers-print.png'), fullPage: true });
    await page
      .locator('#tab-graph')
      .evaluate((tab) => tab.dispatchEvent(new Event('click', { bubbles: true })));
    await settled(page);
    await page.screenshot({ path: join(PICTURES, 'graph-print.png'), fullPage: true });
    await page.pdf({ path: join(PICTURES, 'graph.pdf') });
    await done();
  });

  it('makes the pictures of the README', async () => {
    const widths = ['8:8:16:16:24', '8:16:24:32:64', '48:16:32:24:40', '64:64:64:64:64'];
    const asked = widths.map((text) => `network=nats-size:${text}`).join('&');
    const cells = await openPage(`${viewer.address}?${asked}`, { height: 720 });
    const { page, done } = await openPage(viewer.address, { width: 1480, height: 800 });
    const save = async (name: string, of = page): Promise<void> => {
      await of.mouse.move(0, 0);
      const picture = await of.screenshot({ path: join(PICTURES, `readme-${name}.png`) });
      expect(picture.length).toBeLessThan(300_000);
      // What is in the repository is made with AUSPEX_PICTURES=1.
      const kept = join(ROOT, `docs/images/page-${name}.png`);
      if (process.env.AUSPEX_PICTURES === '1') copyFileSync(join(PICTURES, `readme-${name}.png`), kept);
      expect(statSync(kept).size).toBeLessThan(300_000);
    };
    await openFiles(page, resnet18);
    await page.getByLabel('Colour the graph by').selectOption('latency');
    await page.locator('.legend .scale').waitFor({ timeout: 60_000 });
    await settled(page);
    await save('graph');
    await done();
    const shown = cells.page;
    await shown.getByRole('button', { name: 'Pareto' }).click();
    const points = shown.locator('figure svg .points circle');
    await expect.poll(() => points.count(), { timeout: 60_000 }).toBe(widths.length);
    await shown.getByLabel('Quality').selectOption('cifar10_accuracy');
    await shown.waitForTimeout(500);
    await save('pareto', shown);
    await cells.done();
  });

  it('keeps 10,000 nodes smooth', async () => {
    const path = join(folder, 'chain.onnx');
    writeFileSync(path, chainModel(10_000));
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, path);
    await page.getByRole('button', { name: 'Open all' }).click();
    await settled(page);
    await page.getByRole('button', { name: 'Fit' }).click();
    await settled(page);
    const canvas = page.getByRole('application');
    const frames = async (): Promise<number> => Number(await canvas.getAttribute('data-frames'));
    const box = (await canvas.boundingBox())!;
    const [before, start] = [await frames(), Date.now()];
    await page.mouse.move(box.x + 300, box.y + 300);
    await page.mouse.down();
    for (let i = 0; i < 60; i++) await page.mouse.move(box.x + 300 + 3 * i, box.y + 300 + 2 * i);
    await page.mouse.up();
    const perSecond = (1000 * ((await frames()) - before)) / (Date.now() - start);
    console.info(
      `10,000 nodes: layout ${await canvas.getAttribute('data-layout-ms')} ms, ${perSecond.toFixed(0)} frames a second`,
    );
    expect(perSecond).toBeGreaterThan(5);
    await done();
  });

  it('gives its memory back', async () => {
    const { page, done } = await openPage(viewer.address);
    const used = async (): Promise<number> => {
      await page.evaluate('gc(); gc()');
      return page.evaluate<number>('performance.memory.usedJSHeapSize');
    };
    const once = async (): Promise<void> => {
      await openFiles(page, resnet8);
      await page.getByRole('button', { name: /^Close resnet8/ }).click();
      await page.locator('h1').waitFor();
    };
    // What is kept for all networks is there after the first ones.
    for (let i = 0; i < 5; i++) await once();
    const before = await used();
    for (let i = 0; i < 20; i++) await once();
    const after = await used();
    console.info(
      `memory before and after 20 models: ${(before / 1e6).toFixed(1)} and ${(after / 1e6).toFixed(1)} MB`,
    );
    expect(after / before).toBeLessThan(1.2);
    await done();
  });
});
