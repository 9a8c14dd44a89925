// A pool that is scored for a command: with a log, progress, an end at Ctrl-C, and a word on what failed.
import { TrialLog } from '../store/trial-log.js';
import { printable } from '../util/printable.js';
import { progressLine } from './progress.js';
import { type Outlets, type ScoringFlags, type ScoringPlan, threadsOf } from './proxy-plan.js';
import { type NetworkRecord, scorePool } from './proxy-pool.js';
import { NetworkScorer } from './proxy-scoring.js';
import { errorText, isScored } from './proxy-text.js';
import { untilStopped } from './signals.js';

/** Results in the order of networks; fewer if the work was stopped. */
export async function scoredNetworks(
  networks: readonly string[],
  plan: ScoringPlan,
  flags: ScoringFlags,
  { note }: Pick<Outlets, 'note'>,
  title: string,
): Promise<NetworkRecord[]> {
  if (plan.proxies.length === 0) {
    return networks.map((network, index) => ({ kind: 'network', index, network, scores: {} }));
  }
  const { output, resume, force, workers } = flags;
  // Samples that cannot be read are a mistake of the command, not of every network.
  new NetworkScorer(plan);
  const log = output === undefined ? undefined : TrialLog.open(output, { resume, replace: force && !resume });
  const progress = progressLine(title.length > 40 ? 'proxy' : title);
  try {
    const records = await untilStopped((signal) =>
      scorePool(networks, {
        plan,
        workers,
        threads: threadsOf(flags),
        log,
        signal,
        onScored: (done) => {
          if (networks.length > 1) progress.report(done / networks.length, `${done} of ${networks.length}`);
        },
      }),
    );
    progress.end();
    const failed = records.filter((record) => !isScored(record));
    if (failed.length > 0) {
      const [{ network, error, errors = {} }] = failed as [NetworkRecord];
      const problem = error ?? Object.values(errors)[0];
      const count =
        networks.length === 1
          ? ''
          : `${failed.length} of ${records.length} networks could not be scored; first `;
      const hint = problem?.hint === undefined ? '' : `\n  try: ${problem.hint}`;
      note(`${count}${printable(network)}: ${printable(errorText(problem))}${hint}`);
    }
    if (records.length < networks.length) {
      const hint = output === undefined ? '' : `; the same command with --resume continues ${output}`;
      note(`stopped after ${records.length} of ${networks.length} networks${hint}`);
    }
    return records;
  } finally {
    progress.end();
    log?.close();
  }
}
