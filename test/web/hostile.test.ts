// Models that mean harm: markup and megabytes in names, a million nodes, no numbers; and work that is ended by the user.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../page.testing.js';
import {
  closeBrowser,
  EXAMPLES,
  openFiles,
  openPage,
  settled,
  type Viewer,
  view,
} from './browser.testing.js';
import { chainModel, hostileModel, nanModel } from './models.testing.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-hostile-'));
const resnet8 = join(EXAMPLES, 'resnet8.onnx');

function written(name: string, bytes: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

describe.skipIf(!CHROMIUM)('the page with hostile models (needs Chromium)', () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await view();
  });
  afterAll(async () => {
    await viewer.close();
    await closeBrowser();
    rmSync(folder, { recursive: true });
  });

  it('shows names as text, shortened, and in what is saved, too', async () => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, written('names.onnx', hostileModel()));
    await page.getByRole('button', { name: 'Open all' }).click();
    await settled(page);
    await page.getByRole('searchbox').fill('Relu');
    await page.keyboard.press('Enter');
    await page.waitForSelector('aside code');
    expect(await page.locator('aside img, aside script').count()).toBe(0);
    expect((await page.locator('aside').textContent())!.length).toBeLessThan(5000);
    for (const tab of ['Numbers', 'Predictions', 'Graph']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.waitForTimeout(300);
      expect(await page.locator('main :is(img, script)').count()).toBe(0);
    }
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save page' }).click(),
    ]);
    const saved: Buffer[] = [];
    for await (const piece of await download.createReadStream()) saved.push(piece as Buffer);
    expect(Buffer.concat(saved).toString()).not.toMatch(/<(img|script)/i);
    await done();
  });

  it('refuses a name of a megabyte with the error of the command line', async () => {
    const { page, done } = await openPage(viewer.address);
    const path = written('long.onnx', hostileModel(1_000_000));
    await page.locator('input[type=file]').first().setInputFiles(path);
    await page.waitForSelector('text=ONNX_LIMIT');
    await done();
  });

  it('draws a part of a million nodes, or says that they are too many, and goes on', async () => {
    const { page, done } = await openPage(viewer.address);
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(written('million.onnx', chainModel(1_000_000)));
    await page.locator('[role=alert], canvas[data-frames]').first().waitFor({ timeout: 100_000 });
    // Reading goes on elsewhere: the page answers.
    const isDrawn = (await page.locator('canvas[data-frames]').count()) > 0;
    if (isDrawn) expect(await page.locator('main').textContent()).toMatch(/operators are not drawn/);
    else expect(await page.locator('[role=alert]').textContent()).toMatch(/LIMIT|MEMORY/);
    await openFiles(page, resnet8);
    await done();
  });

  it('ends work that the user cancels, and keeps what is open', async () => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet8);
    await page
      .locator('input[type=file]')
      .first()
      // Just below the most nodes that are read.
      .setInputFiles(written('long-chain.onnx', chainModel(190_000)));
    await page.getByRole('button', { name: 'Cancel' }).click({ timeout: 60_000 });
    await page.locator('[role=status]', { hasText: 'Reading' }).waitFor({ state: 'detached' });
    expect(await page.locator('nav .tab .close').count()).toBe(1);
    await page.getByRole('searchbox').fill('Conv');
    await page.keyboard.press('Enter');
    await page.waitForSelector('aside >> text=kernel_shape');
    await done();
  });

  it('shows weights that are not numbers', async () => {
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, written('nan.onnx', nanModel()));
    await page.getByRole('searchbox').fill('MatMul');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Statistics' }).click();
    await page.waitForSelector('text=/not finite 63/');
    await page.getByLabel('Colour the graph by').selectOption('synflow');
    // No scores can be told; the page says so or shows none, and lives.
    await page.locator('[role=alert], .legend').first().waitFor({ timeout: 60_000 });
    await done();
  });

  it('runs no script that is written into the page, and loads nothing from elsewhere', async () => {
    const { page, complaints, context } = await openPage(viewer.address);
    await page.locator('h1').waitFor();
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'window.hacked = 1';
      document.body.append(script);
      const image = new Image();
      image.src = 'https://example.org/a.png';
      document.body.append(image);
    }`);
    const refused = await page.evaluate<string>(
      `fetch('https://example.org/').then(() => 'fetched', () => 'refused')`,
    );
    expect([refused, await page.evaluate('window.hacked')]).toEqual(['refused', undefined]);
    await context.close();
    // The policy stopped all three before a request was made.
    expect(complaints.filter((text) => /^request to/.test(text))).toEqual([]);
    expect(complaints.filter((text) => /Content Security Policy/.test(text)).length).toBeGreaterThanOrEqual(
      3,
    );
  });
});
