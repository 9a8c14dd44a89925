// NTKT by probes beside the exact trace, and how many scores of zero-cost proxies a second every kind of network gives.
// Options: --only ntkt|rates, --threads 1, --repeats 5.
import { parseArgs } from 'node:util';
import { PROXIES, proxyNamed, type Score, Subject, scoreAll } from '../src/proxies/index.js';
import { spaceNamed } from '../src/spaces/index.js';
import { timed } from './bench.js';
import { median } from './blocks.js';

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    only: { type: 'string' },
    threads: { type: 'string', default: '1' },
    repeats: { type: 'string', default: '5' },
  },
});
const threads = Number(flags.threads);

// NTKT ----------------------------------------------------------------------------------------------------------

/** Four layers of width 128, 64 tokens. */
const SMALL = '128:4:e128:k1:i512,512,512,512:h4,4,4,4';

async function probes(): Promise<void> {
  const space = spaceNamed('lts-gpt2');
  const subject = (): Subject => {
    const model = space.network(space.parse(SMALL), { resolution: 64, classes: 1000 });
    return Subject.of(model, { session: { threads } });
  };
  const ntkt = proxyNamed('ntkt');
  let found: Score | undefined;
  const times: number[] = [];
  for (let i = 0; i < Number(flags.repeats) + 1; i++) {
    const ms = await timed(async () => {
      found = await ntkt.score(subject());
    });
    if (i > 0) times.push(ms);
  }
  let exact: Score | undefined;
  const slow = await timed(async () => {
    exact = await ntkt.score(subject(), { variant: 'exact' });
  });
  const fast = median(times);
  const { gradients, tokens, channels } = exact!.details as Record<string, number>;
  const error = Math.abs(found!.value / exact!.value - 1);
  const standard = (found!.details.standardError as number) / found!.value;
  console.log(`\nNTKT of a transformer of 4 layers, ${tokens} tokens of width ${channels}, one sample`);
  console.log(
    `  8 probes ${fast.toFixed(0)} ms, exact (${gradients} gradients) ${(slow / 1000).toFixed(1)} s: ` +
      `${(slow / fast).toFixed(0)}x faster`,
  );
  console.log(
    `  relative error ${(100 * error).toFixed(2)}%, of which its own estimate is ${(100 * standard).toFixed(2)}%`,
  );
}

// Scores a second -----------------------------------------------------------------------------------------------

const SPACES = [
  ['nasbench201', {}],
  ['nasbench101', {}],
  ['ofa-mobilenetv3', { resolution: 128 }],
  ['autoformer-tiny', {}],
  ['lts-gpt2', { resolution: 64, classes: 1000 }],
] as const;
const BATCH = 4;

async function rates(): Promise<void> {
  console.log(`\nall ${PROXIES.length} proxies of one network each, batch ${BATCH}, ${threads} thread(s)`);
  console.log('                     scores   seconds   scores/s   slowest');
  for (const [name, options] of SPACES) {
    const space = spaceNamed(name);
    const arch = space.parse(space.example);
    const each: [name: string, ms: number][] = [];
    const ms = await timed(async () => {
      const model = space.network(arch, { ...options, batch: BATCH, seed: 1 });
      const subject = Subject.of(model, { seed: 1, session: { threads } });
      for (const { shares } of PROXIES) for (const quantity of shares ?? []) subject.wanted.add(quantity);
      for (const proxy of PROXIES) {
        const start = performance.now();
        const [outcome] = await scoreAll(subject, [{ proxy }]);
        if ('score' in outcome!) each.push([proxy.name, performance.now() - start]);
      }
    });
    const slowest = each.sort((a, b) => b[1] - a[1]).slice(0, 4);
    console.log(
      `${name.padEnd(20)}${String(each.length).padStart(7)}${(ms / 1000).toFixed(1).padStart(10)}` +
        `${((1000 * each.length) / ms).toFixed(2).padStart(11)}   ` +
        slowest.map(([proxy, took]) => `${proxy} ${(took / 1000).toFixed(1)} s`).join(', '),
    );
  }
}

if (flags.only !== 'rates') await probes();
if (flags.only !== 'ntkt') await rates();
