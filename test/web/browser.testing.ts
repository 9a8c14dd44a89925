// A real browser with the page in it: `auspex view` as users start it, Chromium of the machine. Anything that the console
// complains about, and any request to another host, fails the test.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { CHROMIUM } from '../page.testing.js';

export const ROOT = resolve(import.meta.dirname, '../..');
/** The built command line. */
export const CLI = join(ROOT, 'dist/cli/main.js');
export const EXAMPLES = join(ROOT, 'examples');
export const PICTURES = join(ROOT, 'build/page');
mkdirSync(PICTURES, { recursive: true });

export interface Viewer {
  readonly address: string;
  readonly process: ChildProcess;
  close(): Promise<void>;
}

/** Starts `auspex view`. */
export async function view(...args: readonly string[]): Promise<Viewer> {
  const started = spawn(process.execPath, [CLI, 'view', '--no-open', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: started.stdout! }), 'line')) as [string];
  const { address } = JSON.parse(line) as { address: string };
  return {
    address,
    process: started,
    close: async () => {
      const ended = once(started, 'close');
      started.kill('SIGTERM');
      await ended;
    },
  };
}

/** By the flags they were started with. */
const browsers = new Map<string, Promise<Browser>>();

export async function closeBrowser(): Promise<void> {
  for (const browser of browsers.values()) await (await browser).close();
  browsers.clear();
}

/** A graphics processor in software, for WebGPU. */
export const SOFTWARE_GPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

function browserWith(flags: readonly string[]): Promise<Browser> {
  const key = flags.join(' ');
  let browser = browsers.get(key);
  if (browser === undefined) {
    browser = chromium.launch({
      executablePath: CHROMIUM!,
      args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc', ...flags],
    });
    browsers.set(key, browser);
  }
  return browser;
}

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the console, the page or the network complained about. */
  readonly complaints: string[];
  /** Closes the page; there must be no complaints. */
  done(): Promise<void>;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  /** Of a browser of its own. */
  readonly flags?: readonly string[];
}

export async function openPage(address: string, options: PageOptions = {}): Promise<Opened> {
  const { width = 1280, height = 800, scheme = 'light', flags = [] } = options;
  const context = await (await browserWith(flags)).newContext({
    viewport: { width, height },
    colorScheme: scheme,
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const complaints: string[] = [];
  const { origin } = new URL(address);
  await context.route(
    (url) => url.origin !== origin && url.protocol.startsWith('http'),
    (route) => {
      complaints.push(`request to ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error.stack ?? error)));
  await page.goto(address);
  return {
    page,
    context,
    complaints,
    done: async () => {
      await context.close();
      expect(complaints).toEqual([]);
    },
  };
}

/** Opens files by the picker, and waits until the graph of the last one is painted. */
export async function openFiles(page: Page, ...files: readonly string[]): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([...files]);
  await painted(page);
}

/** Until the graph is drawn and painted. */
export async function painted(page: Page): Promise<void> {
  // Not waitForSelector, which would keep what it finds.
  await page.locator('canvas[data-frames]').first().waitFor({ timeout: 60_000 });
  await settled(page);
}

/** What the command line says; of networks that differ, it tells by the exit code, too. */
export function cli<T>(...args: readonly string[]): T {
  const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
  if (stdout === '') throw new Error(`${status}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** Until nothing is painted any more. */
export async function settled(page: Page): Promise<void> {
  let before = '';
  for (let i = 0; i < 100; i++) {
    await page.waitForTimeout(120);
    const now = (await page.locator('canvas[data-frames]').first().getAttribute('data-frames')) ?? '';
    if (now === before) return;
    before = now;
  }
}

/** The file that a click saves. */
export async function saved(
  page: Page,
  click: () => Promise<unknown>,
): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  const pieces: Buffer[] = [];
  for await (const piece of await download.createReadStream()) pieces.push(piece as Buffer);
  return { name: download.suggestedFilename(), bytes: Buffer.concat(pieces) };
}
