// Zero-cost proxies. Gradient proxies beside the same formulas in PyTorch, both from the text of an architecture to the
// numbers; NTKT by probes beside the exact trace; and how many scores a second every kind of network gives.
// Options: --only peer|ntkt|rates, --threads 1, --repeats 5, --batch 16 (NAS-Bench-201), --images 4 (AutoFormer),
// --networks 3 (of NAS-Bench-201), --proxies snip,plain,….
import { parseArgs } from 'node:util';
import { PROXIES, proxyNamed, requestNamed, type Score, Subject, scoreAll } from '../src/proxies/index.js';
import { type AnySpace, spaceNamed } from '../src/spaces/index.js';
import { Random } from '../src/util/random.js';
import { median, Peer } from './peer.js';
import { type Spent, sessionsSpent, timed, watchSessions } from './stopwatch.js';

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    only: { type: 'string' },
    threads: { type: 'string', default: '1' },
    repeats: { type: 'string', default: '5' },
    batch: { type: 'string', default: '16' },
    images: { type: 'string', default: '4' },
    networks: { type: 'string', default: '3' },
    proxies: { type: 'string', default: 'snip,plain,grad_norm,fisher,grasp,jacov,zico,synflow' },
  },
});
const threads = Number(flags.threads);
const wanted = flags.proxies.split(',');
watchSessions();

type Scores = Record<string, number>;

/** One network from its text to its scores. A seed of its own, so that nothing is known from before. */
async function score(space: AnySpace, arch: string, batch: number, seed: number): Promise<Scores> {
  const model = space.network(space.parse(arch), { batch, seed });
  const subject = Subject.of(model, { seed, session: { threads } });
  const outcomes = await scoreAll(subject, wanted.map(requestNamed));
  return Object.fromEntries(
    outcomes.map((outcome) => {
      if ('error' in outcome) throw outcome.error;
      return [outcome.proxy.name, outcome.score.value];
    }),
  );
}

// Beside PyTorch ------------------------------------------------------------------------------------------------

type Mode = 'shared' | 'apart';

async function besidePeer(name: string, archs: readonly string[], batch: number): Promise<void> {
  const space = spaceNamed(name);
  const peer = new Peer(['bench/peers/proxies.py', String(threads)], 'torch');
  const version = await peer.line();
  const ask = async (arch: string, mode: Mode): Promise<Spent & { scores: Scores }> =>
    JSON.parse(await peer.ask(JSON.stringify({ space: name, arch, batch, proxies: wanted, mode })));
  let seed = 0;
  await score(space, archs[0]!, batch, seed++);
  await ask(archs[0]!, 'shared');
  console.log(
    `\n${space.title}, ${archs.length} networks, batch ${batch}, PyTorch ${version}; medians of ${flags.repeats} each`,
  );
  const rows: { ours: Spent; shared: Spent; apart: Spent; parts: Record<string, number> }[] = [];
  for (let i = 0; i < Number(flags.repeats); i++) {
    for (const [at, arch] of archs.entries()) {
      sessionsSpent();
      let scores: Scores = {};
      const ours = await timed(async () => {
        scores = await score(space, arch, batch, seed++);
      });
      const { compile, run } = sessionsSpent();
      const shared = await ask(arch, 'shared');
      const apart = await ask(arch, 'apart');
      rows.push({ ours, shared, apart, parts: { graphs: ours.cpuMs - compile - run, compile, run } });
      if (i === 0) printScores(at, scores, shared.scores);
    }
  }
  peer.close();
  const of = (pick: (row: (typeof rows)[number]) => number): number => median(rows.map(pick));
  const time = (of: Spent): string => `${of.ms.toFixed(0)} ms, ${of.cpuMs.toFixed(0)} ms of the processor`;
  const both = (pick: (row: (typeof rows)[number]) => Spent): Spent => ({
    ms: of((row) => pick(row).ms),
    cpuMs: of((row) => pick(row).cpuMs),
  });
  console.log(`  auspex            ${time(both((row) => row.ours))}`);
  const parts = ['graphs', 'compile', 'run'].map(
    (part) => `${part} ${of((row) => row.parts[part]!).toFixed(0)}`,
  );
  console.log(`    of these        ${parts.join(', ')}`);
  for (const mode of ['shared', 'apart'] as const) {
    const ratio = (key: keyof Spent): string => `${of((row) => row[mode][key] / row.ours[key]).toFixed(2)}x`;
    console.log(
      `  PyTorch, ${mode.padEnd(7)}  ${time(both((row) => row[mode]))}: auspex is ${ratio('ms')} (${ratio('cpuMs')})`,
    );
  }
}

/** Weights and batches are drawn by different generators, so scores agree in size, not in digits. */
function printScores(at: number, ours: Scores, theirs: Scores): void {
  const list = wanted.map((name) => `${name} ${ours[name]!.toPrecision(4)}/${theirs[name]!.toPrecision(4)}`);
  console.log(`  network ${at + 1}, ours/theirs: ${list.join(', ')}`);
}

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
    const { ms } = await timed(async () => {
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
    `  8 probes ${fast.toFixed(0)} ms, exact (${gradients} gradients) ${(slow.ms / 1000).toFixed(1)} s: ` +
      `${(slow.ms / fast).toFixed(0)}x faster`,
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
    const { ms } = await timed(async () => {
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

if (flags.only === undefined || flags.only === 'peer' || flags.only === 'autoformer') {
  await besidePeer('autoformer-tiny', [spaceNamed('autoformer-tiny').example], Number(flags.images));
}
if (flags.only === undefined || flags.only === 'peer' || flags.only === 'nasbench201') {
  const space = spaceNamed('nasbench201');
  const random = Random.seeded(3);
  const drawn = Array.from({ length: Number(flags.networks) - 1 }, () => space.format(space.sample(random)));
  await besidePeer('nasbench201', [space.example, ...drawn], Number(flags.batch));
}
if (flags.only === undefined || flags.only === 'ntkt') await probes();
if (flags.only === undefined || flags.only === 'rates') await rates();
