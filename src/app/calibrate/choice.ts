// Which network a calibration measures next: of several that are drawn, the one whose time is known worst. What is known is found
// by predicting every network before it is measured.
import { planKernels } from '../../analysis/kernels/plan.js';
import { type KernelTimes, kernelTime } from '../../predictors/devices/kernels/times.js';
import { attempt } from '../../util/attempt.js';
import type { Random } from '../../util/random.js';
import { type Candidate, drawCandidate, drawOperators } from './candidates.js';
import { type MeasuredNetwork, timedKernels } from './measured-network.js';

const DRAWN = 8;
/** Share of graphs of operators that no space has. */
const MIXED = 0.12;
/** Relative errors that are expected where none was seen. */
const EXPECTED = { unknown: 1, near: 0.4, measured: 0.2 };
/** Longer ones take too much of the time. */
const MOST_MS = 400;
/** How fast old errors are forgotten. */
const KEPT = 0.97;

/** Mean errors of kernels, by class. */
export class ClassErrors {
  readonly #wrong = new Map<string, { us: number; all: number }>();

  of(name: string): number | undefined {
    const found = this.#wrong.get(name);
    return found && found.us / found.all;
  }

  note(times: KernelTimes, measured: MeasuredNetwork): void {
    for (const { kernel, us } of timedKernels(measured)) {
      const found = kernelTime(times, kernel);
      const before = this.#wrong.get(found.class) ?? { us: 0, all: 0 };
      this.#wrong.set(found.class, {
        us: KEPT * before.us + Math.abs(found.us - us),
        all: KEPT * before.all + us,
      });
    }
  }
}

export function nextCandidate(
  random: Random,
  times: KernelTimes | undefined,
  errors: ClassErrors,
  blockChannels: number,
): Candidate {
  if (random.chance(MIXED)) return drawOperators(random);
  if (times === undefined) return drawCandidate(random);
  let best = drawCandidate(random);
  let most = -1;
  for (let i = 0; i < DRAWN; i++) {
    const candidate = i === 0 ? best : drawCandidate(random);
    const score = attempt(() => scoreOf(candidate, times, errors, blockChannels)) ?? -1;
    if (score > most) [best, most] = [candidate, score];
  }
  return best;
}

/** The share of the time that is expected to be wrong. */
function scoreOf(
  { network }: Candidate,
  times: KernelTimes,
  errors: ClassErrors,
  blockChannels: number,
): number {
  let [all, wrong] = [0, 0];
  for (const kernel of planKernels(network.inference(), { blockChannels }).kernels) {
    const { us, known, class: name } = kernelTime(times, kernel);
    const seen = errors.of(name) ?? EXPECTED.measured;
    all += us;
    wrong += us * (known === 'measured' ? seen : Math.max(seen, EXPECTED[known]));
  }
  return all / 1000 > MOST_MS ? -1 : wrong / all;
}
