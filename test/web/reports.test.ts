// Reports of other commands: searches while they run, scores, evaluations.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../page.testing.js';
import { CLI, closeBrowser, openPage, saved, view } from './browser.testing.js';
import { searchLog } from './search-log.testing.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-reports-'));

describe.skipIf(!CHROMIUM)('reports in the page (needs Chromium)', () => {
  afterAll(async () => {
    await closeBrowser();
    rmSync(folder, { recursive: true });
  });

  it('follows a search that runs', async () => {
    const run = join(folder, 'running');
    const log = join(run, 'trials.jsonl');
    const command = ['search', 'nats-size', '--evaluator', 'proxy:params', '--strategy', 'random'];
    const search = spawn(process.execPath, [CLI, ...command, '--budget', '20000', '-o', run], {
      stdio: 'ignore',
    });
    const ended = once(search, 'exit');
    const trials = (): number => readFileSync(log, 'utf8').split('\n').length - 2;
    try {
      await expect.poll(() => existsSync(log) && trials() > 0, { timeout: 30_000 }).toBe(true);
      const live = await view(run);
      const { page, done } = await openPage(live.address);
      const count = async (): Promise<number> => {
        const text = (await page.locator('.report').textContent()) ?? '';
        return Number(/([\d,]+) trials/.exec(text)![1]!.replaceAll(',', ''));
      };
      await page.waitForSelector('text=/trials/');
      const first = await count();
      await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(first);
      search.kill();
      await ended;
      await expect.poll(count, { timeout: 30_000 }).toBe(trials());
      await page.getByRole('button', { name: 'Open it' }).click();
      await page.locator('canvas[data-frames]').first().waitFor();
      await done();
      await live.close();
    } finally {
      search.kill();
      await ended;
    }
  });

  it('shows a search while it is being written, scores and an evaluation', async () => {
    const run = mkdtempSync(join(folder, 'run-'));
    const log = join(run, 'trials.jsonl');
    writeFileSync(log, searchLog(0, 200));
    cpSync(join(import.meta.dirname, 'fixtures/scores.jsonl'), join(folder, 'scores.jsonl'));
    const live = await view(run);
    try {
      const { page, done } = await openPage(live.address);
      await page.waitForSelector('text=200 trials');
      await page.waitForSelector('figure svg');
      expect(await page.locator('figure').count()).toBe(4);
      appendFileSync(log, searchLog(200, 12_000));
      await page.waitForSelector('text=12,000 trials', { timeout: 30_000 });
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles([join(folder, 'scores.jsonl'), join(import.meta.dirname, 'fixtures/evaluation.json')]);
      await page.waitForSelector('text=/Metrics of/');
      // Every row of the evaluation is a point, those outside of their intervals in another colour.
      await expect.poll(() => page.locator('figure svg .compared circle').count()).toBe(24);
      const { labels } = JSON.parse(
        readFileSync(join(import.meta.dirname, 'fixtures/evaluation.json'), 'utf8'),
      ) as { labels: { intervals: { inside: number } }[] };
      expect(await page.locator('.compared circle[fill="var(--danger)"]').count()).toBe(
        24 - labels[0]!.intervals.inside,
      );
      // All of what is seen, as one file, and a link to it.
      const html = await saved(page, () => page.getByRole('button', { name: 'Save page' }).click());
      expect(html.bytes.toString()).toMatch(/Metrics of .*<svg.*<table>/s);
      expect(html.bytes.toString()).not.toMatch(/<script/i);
      const svg = await saved(page, () => page.getByRole('button', { name: 'SVG' }).first().click());
      expect(svg.bytes.toString()).not.toContain('var(--');
      await done();
    } finally {
      await live.close();
    }
  });
});
