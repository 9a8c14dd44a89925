// A page of ten lines that uses auspex, built by every bundler as it comes, and run in Chromium. Predictors and the
// runtime's WebAssembly are files beside it, which it fetches when it needs them.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { rolldown } from 'rolldown';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import webpack from 'webpack';
import { CHROMIUM } from '../page.testing.js';
import { closeBrowser, openPage, ROOT } from './browser.testing.js';

const APP = `
import { inspect, network, predict, useBundled, useRuntime } from 'auspex/web';
const bytes = new Uint8Array(await (await fetch('./resnet18.onnx')).arrayBuffer());
const { cost, hash } = inspect(bytes);
useRuntime('web', { files: './runtime/' });
await useBundled('./bundled/');
const [{ labels }] = await predict(network(bytes), { threads: 1 });
const { value } = labels.imagenet_top1;
document.body.textContent = JSON.stringify({ macs: cost.totals.macs, hash, value });
`;

const folder = mkdtempSync(join(tmpdir(), 'auspex-bundlers-'));
const entry = join(folder, 'app.js');
const out = (name: string): string => join(folder, `out-${name}`);

/** As bundlers come: what goes in, where it goes, and nothing else. */
const BUNDLERS: Readonly<Record<string, () => Promise<unknown>>> = {
  vite: () =>
    vite({
      ...{ root: folder, configFile: false, logLevel: 'error', base: './' },
      // The page's top-level await is newer than vite's usual target.
      build: { outDir: out('vite'), emptyOutDir: true, target: 'es2022', reportCompressedSize: false },
    }),
  esbuild: () =>
    esbuild({
      entryPoints: [entry],
      bundle: true,
      splitting: true,
      format: 'esm',
      outdir: out('esbuild'),
      logLevel: 'error',
    }),
  rolldown: async () => {
    const bundle = await rolldown({ input: entry, platform: 'browser' });
    await bundle.write({ dir: out('rolldown'), format: 'esm' });
    await bundle.close();
  },
  webpack: () =>
    new Promise<void>((done, failed) => {
      webpack(
        {
          mode: 'production',
          entry,
          output: { path: out('webpack'), filename: 'app.js' },
          performance: { hints: false },
        },
        (error, stats) => {
          if (error ?? stats?.hasErrors()) failed(error ?? new Error(stats!.toString('errors-only')));
          else done();
        },
      );
    }),
};

describe.skipIf(!CHROMIUM)('a page made with (needs Chromium)', () => {
  let server: Server;
  beforeAll(async () => {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules/auspex'));
    writeFileSync(entry, APP);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(folder, 'index.html'),
      '<!doctype html><title>app</title><link rel="icon" href="data:,"><body><script type="module" src="./app.js"></script>',
    );
    server = createServer((request, response) => {
      const path = join(folder, decodeURI(request.url!));
      const type = { '.html': 'text/html', '.wasm': 'application/wasm', '.json': 'application/json' }[
        extname(path)
      ];
      response.writeHead(200, { 'content-type': type ?? 'text/javascript' }).end(readFileSync(path));
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
  });
  afterAll(async () => {
    await closeBrowser();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it.each(Object.keys(BUNDLERS))('%s', async (name) => {
    await BUNDLERS[name]!();
    const built = out(name);
    for (const file of readdirSync(built, { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.js'))
        expect(readFileSync(join(built, file), 'utf8')).not.toMatch(
          /^(?:import\b.*|}\s*)from\s*["']node:|\bimport\(["']node:/m,
        );
    }
    // What an application copies: the model, the predictors, the runtime's files.
    cpSync(join(ROOT, 'examples/resnet18.onnx'), join(built, 'resnet18.onnx'));
    cpSync(join(ROOT, 'bundled'), join(built, 'bundled'), { recursive: true });
    const runtime = join(ROOT, 'node_modules/onnxruntime-web/dist');
    for (const part of readdirSync(runtime)) {
      if (/^ort-wasm-simd-threaded\.(mjs|wasm)$/.test(part))
        cpSync(join(runtime, part), join(built, 'runtime', part));
    }
    if (name !== 'vite') cpSync(join(folder, 'index.html'), join(built, 'index.html'));
    const { port } = server.address() as AddressInfo;
    const { page, done } = await openPage(`http://127.0.0.1:${port}/out-${name}/index.html`);
    await page.waitForFunction('document.body.textContent.startsWith("{")', undefined, { timeout: 60_000 });
    const told = JSON.parse((await page.locator('body').textContent())!) as {
      macs: number;
      hash: string;
      value: number;
    };
    expect(told.macs).toBe(1_814_073_344);
    expect(told.value).toBeCloseTo(72.43, 1);
    await done();
  });
});
