// Steps and inference while another program keeps one core busy: on two threads, beside the same on one. Two threads that wait
// for each other must not be slower than one.
import type { Bench } from './bench.js';
import { bench as engine, WORKLOADS } from './engine.js';

const NAMES = /^(NN-Former, (step|inference, batch 1$)|arch2vec|ResNet-18 \(32|MobileNetV2)/;

export const bench: Bench = {
  async rows(_, side) {
    const on = (threads: string, line: string) => ({ side, line: `${threads} ${line}` });
    return WORKLOADS.filter(({ name }) => NAMES.test(name)).map(({ name }) => ({
      name,
      ours: on('2', name),
      peers: [on('1', name)] as const,
      isShared: true,
    }));
  },

  /** A line is the number of threads and the name of a workload. */
  async side(options) {
    let run: ((line: string) => Promise<number>) | undefined;
    return async (line) => {
      const [threads] = line.split(' ', 1) as [string];
      run ??= await engine.side({ ...options, values: { threads } });
      return run(line.slice(threads.length + 1));
    };
  },
};
