// The page in Chromium, from `auspex view` on this machine. Every figure is the median of several fresh browser contexts, so that
// nothing is cached.
//
//   npm run bench -- page resnet50.onnx swin_t.onnx      [--repeats 5] [--only REGEX] [--json FILE]
//
// The first file is opened and predicted, the second laid out with all groups open. CHROMIUM names the browser; a prefix such as
// `taskset -c 1` before node pins both.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { makeGraph, makeModel, makeNode } from '../src/graph/graph.js';
import { TensorType } from '../src/graph/types.js';
import { encodeModel } from '../src/onnx/write.js';
import { median } from './blocks.js';

const { values: flags, positionals } = parseArgs({
  args: process.argv.slice(3),
  allowPositionals: true,
  options: {
    ...{ repeats: { type: 'string', default: '5' }, json: { type: 'string' } },
    only: { type: 'string', default: '' },
  },
});
const [first, second] = positionals;
const executablePath = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  existsSync,
);
if (first === undefined || second === undefined || executablePath === undefined) {
  console.error('usage: npm run bench -- page RESNET50.onnx SWIN_T.onnx; needs Chromium (CHROMIUM names it)');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-page-'));
const chain = join(folder, 'chain.onnx');
writeFileSync(chain, chainOf(10_000));
const CLI = resolve(import.meta.dirname, '../../dist/cli/main.js');

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly must: number;
  readonly goal: number;
  readonly isMore?: true;
  run(page: Page): Promise<number>;
}

/** Runs in the page before anything else: times from opening a file to what is seen of it. */
const CLOCK = `
addEventListener('change', (event) => { if (event.target.type === 'file') window.startedAt = performance.now(); }, true);
window.since = (isThere) => new Promise((done) => {
  const look = () => (isThere() ? done(performance.now() - window.startedAt) : requestAnimationFrame(look));
  look();
});`;
const PAINTED = `document.querySelector('canvas[data-frames]') && document.querySelector('dl dd')`;
const PREDICTED = `document.querySelector('.answer .value') && document.querySelectorAll('.predictions figure circle').length > 20`;

async function opened(page: Page, path: string): Promise<number> {
  await page.locator('input[type=file]').first().setInputFiles(path);
  return page.evaluate<number>(`since(() => ${PAINTED})`);
}

/** Milliseconds from choosing the tab to numbers. */
async function predicted(page: Page): Promise<number> {
  return page.evaluate<number>(
    `(window.startedAt = performance.now(), document.getElementById('tab-predictions').click(), since(() => ${PREDICTED}))`,
  );
}

const FIGURES: readonly Figure[] = [
  {
    ...{ name: 'first paint with nothing loaded', unit: 'ms', must: 1000, goal: 400 },
    run: (page) =>
      page.evaluate<number>(
        `new Promise((done) => { const look = () => { const [paint] = performance.getEntriesByName('first-contentful-paint'); paint ? done(paint.startTime) : setTimeout(look, 20); }; look(); })`,
      ),
  },
  {
    ...{ name: 'first file, from choosing it to graph and cost', unit: 'ms', must: 2000, goal: 800 },
    run: (page) => opened(page, first),
  },
  {
    ...{ name: 'accuracy and all devices, after the graph is there', unit: 'ms', must: 2000, goal: 500 },
    run: async (page) => {
      await opened(page, first);
      return predicted(page);
    },
  },
  {
    ...{ name: 'accuracy and all devices of the next network', unit: 'ms', must: 2000, goal: 500 },
    run: async (page) => {
      await opened(page, first);
      await predicted(page);
      await page.getByRole('tab', { name: 'Graph' }).click();
      await opened(page, second);
      await page.waitForTimeout(500);
      return predicted(page);
    },
  },
  {
    ...{ name: 'second file, layout of all groups open', unit: 'ms', must: 4000, goal: 1500 },
    run: async (page) => {
      await opened(page, second);
      await page.getByRole('button', { name: 'Open all' }).click();
      await page.waitForTimeout(4000);
      return Number(await page.getByRole('application').getAttribute('data-layout-ms'));
    },
  },
  {
    ...{ name: 'second file, longest time without a frame meanwhile', unit: 'ms', must: 4000, goal: 200 },
    run: async (page) => {
      await opened(page, second);
      return page.evaluate<number>(`(async () => {
        let [worst, last, isOver] = [0, performance.now(), false];
        const tick = (now) => { worst = Math.max(worst, now - last); last = now; if (!isOver) requestAnimationFrame(tick); };
        requestAnimationFrame(tick);
        [...document.querySelectorAll('button')].find((b) => b.textContent === 'Open all').click();
        await new Promise((done) => setTimeout(done, 4000));
        isOver = true;
        return worst;
      })()`);
    },
  },
  {
    ...{ name: '10,000 nodes, pan and zoom', unit: 'frames/s', must: 30, goal: 60, isMore: true },
    run: async (page) => {
      await opened(page, chain);
      await page.getByRole('button', { name: 'Open all' }).click();
      await page.waitForTimeout(4000);
      return page.evaluate<number>(`(async () => {
        const canvas = document.querySelector('canvas[data-frames]');
        const box = canvas.getBoundingClientRect();
        const at = (type, x, y, more) => canvas.dispatchEvent(new (type === 'wheel' ? WheelEvent : PointerEvent)(type, { clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true, cancelable: true, ...more }));
        canvas.setPointerCapture = () => {};
        const before = Number(canvas.dataset.frames);
        const start = performance.now();
        at('pointerdown', 300, 300);
        for (let i = 0; performance.now() - start < 3000; i++) {
          // As input comes: not in step with frames.
          await new Promise((done) => setTimeout(done, 8));
          if (i % 2 === 0) at('pointermove', 300 + 40 * Math.sin(i / 9), 300 + 40 * Math.cos(i / 7));
          else at('wheel', 400, 300, { deltaY: 60 * Math.sin(i / 15) });
        }
        at('pointerup', 300, 300);
        return (1000 * (Number(canvas.dataset.frames) - before)) / (performance.now() - start);
      })()`);
    },
  },
];

const server = await viewer();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const rows: { name: string; unit: string; median: number; all: number[] }[] = [];
  const bytes = await scriptBytes(browser, server.address);
  console.log(
    `JavaScript of the first view and its workers, gzip: ${(bytes / 1000).toFixed(0)} kB (must 350, goal 200)`,
  );
  const wanted = FIGURES.filter(({ name }) => new RegExp(flags.only).test(name));
  for (const { name, unit, must, goal, isMore, run } of wanted) {
    const all: number[] = [];
    for (let i = 0; i < Number(flags.repeats); i++) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      await context.addInitScript(CLOCK);
      const page = await context.newPage();
      await page.goto(server.address);
      await page.locator('h1').waitFor();
      all.push(await run(page));
      await context.close();
    }
    const found = median(all);
    const isMet = (limit: number): boolean => (isMore ? found >= limit : found <= limit);
    const said = isMet(goal) ? 'goal' : isMet(must) ? 'met' : 'MISSED';
    rows.push({ name, unit, median: found, all });
    console.log(
      `${name}: ${found.toFixed(0)} ${unit} (must ${must}, goal ${goal}: ${said}; ${all.map((x) => x.toFixed(0)).join(', ')})`,
    );
  }
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify({ bytes, rows }, null, 1)}\n`);
} finally {
  await browser.close();
  server.process.kill();
  rmSync(folder, { recursive: true });
}

async function viewer(): Promise<{ address: string; process: ChildProcess }> {
  const started = spawn(process.execPath, [CLI, 'view', '--no-open', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: started.stdout! }), 'line')) as [string];
  return { address: (JSON.parse(line) as { address: string }).address, process: started };
}

/** Of what the page and its workers load before a file is opened. */
async function scriptBytes(from: Browser, address: string): Promise<number> {
  // What is kept for when there is no connection is fetched later, and is not needed.
  const context = await from.newContext({ serviceWorkers: 'block' });
  const sizes = new Map<string, number>();
  const asked: Promise<unknown>[] = [];
  context.on('response', (response) => {
    const url = response.url();
    if (!url.endsWith('.js')) return;
    asked.push(response.body().then((body) => sizes.set(url, gzipSync(body).length)));
  });
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForTimeout(2000);
  await Promise.all(asked);
  await context.close();
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** A chain with shortcuts of different lengths, without any blocks in its names. */
function chainOf(count: number): Uint8Array {
  const types = ['Relu', 'Sigmoid', 'Tanh', 'Exp', 'Neg', 'Abs', 'Sin'];
  const nodes = Array.from({ length: count }, (_, i) => {
    const isSum = i > 12 && (i * i) % 11 === 4;
    const inputs = isSum ? [`v${i}`, `v${i - 1 - ((i * 7) % 11)}`] : [`v${i}`];
    const name = `n${i}`;
    return makeNode(isSum ? 'Add' : types[(i * i + i) % types.length]!, inputs, [`v${i + 1}`], {}, { name });
  });
  const type = new TensorType('float32', [1, 8]);
  const [inputs, outputs] = [[{ name: 'v0', type }], [{ name: `v${count}`, type }]];
  const graph = makeGraph({ nodes, inputs, outputs, initializers: new Map() });
  return encodeModel(makeModel(graph, { opsetImports: new Map([['', 17]]) }));
}
