// Zero-cost proxies beside the same formulas in PyTorch, which computes what proxies share only once; both from the text of
// an architecture to the numbers.
import { requestNamed, Subject, scoreAll } from '../src/proxies/index.js';
import { spaceNamed } from '../src/spaces/index.js';
import { Random } from '../src/util/random.js';
import { Answerer, python } from './answerer.js';
import { type Bench, timed } from './bench.js';

interface Asked {
  readonly space: string;
  readonly arch: string;
  readonly batch: number;
  readonly proxies: readonly string[];
  readonly mode: 'shared';
}

/** One network from its text to its scores. A seed of its own, so that nothing is known from before. */
async function score({ space: name, arch, batch, proxies }: Asked, seed: number, threads: number) {
  const space = spaceNamed(name);
  const model = space.network(space.parse(arch), { batch, seed });
  const subject = Subject.of(model, { seed, session: { threads } });
  const outcomes = await scoreAll(subject, proxies.map(requestNamed));
  return Object.fromEntries(
    outcomes.map((outcome) => {
      if ('error' in outcome) throw outcome.error;
      return [outcome.proxy.name, outcome.score.value];
    }),
  );
}

export const bench: Bench = {
  options: {
    threads: { type: 'string', default: '2' },
    networks: { type: 'string', default: '2' },
    proxies: { type: 'string', default: 'snip,plain,grad_norm,fisher,grasp,jacov,zico,synflow' },
  },

  async rows({ values: { threads, networks, proxies } }, side) {
    const torch = python(['bench/peers/proxies.py', threads!], 'torch');
    const drawn = (space: string): string[] => {
      const { example, format, sample } = spaceNamed(space);
      const random = Random.seeded(3);
      return [example, ...Array.from({ length: Number(networks) - 1 }, () => format(sample(random)))];
    };
    const asked = (space: string, batch: number, archs: readonly string[]) =>
      archs.map((arch, i) => {
        const line: Asked = { space, arch, batch, proxies: proxies!.split(','), mode: 'shared' };
        const text = JSON.stringify(line);
        return {
          name: `${space}, batch ${batch}, network ${i + 1}`,
          ours: { side, line: text },
          peers: [{ side: torch, line: text }] as const,
        };
      });
    const rows = [
      ...asked('nasbench201', 16, drawn('nasbench201')),
      ...asked('nasbench201', 64, drawn('nasbench201')),
      ...asked('autoformer-tiny', 4, [spaceNamed('autoformer-tiny').example]),
    ];
    await printScores(rows[0]!.ours.line, Number(threads), torch);
    return rows;
  },

  async side({ values: { threads } }) {
    let seed = 0;
    return (line) => timed(() => score(JSON.parse(line) as Asked, seed++, Number(threads)));
  },
};

/** Weights and batches are drawn by different generators, so scores agree in size, not in digits. */
async function printScores(line: string, threads: number, torch: ReturnType<typeof python>): Promise<void> {
  const ours = await score(JSON.parse(line) as Asked, 0, threads);
  const { answerer } = await Answerer.start(torch);
  const { scores } = JSON.parse(await answerer.ask(line)) as { scores: Record<string, number> };
  await answerer.close();
  const list = Object.entries(ours).map(
    ([name, value]) => `${name} ${value.toPrecision(4)}/${scores[name]!.toPrecision(4)}`,
  );
  console.log(`first network, ours/theirs: ${list.join(', ')}\n`);
}
