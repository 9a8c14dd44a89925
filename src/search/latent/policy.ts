// The policy of arch2vec's REINFORCE search: an LSTM cell and a linear layer give the mean of a normal distribution of points in
// latent space, N(mean, I). Gradients are written out, in double precision.
import type { Random } from '../../util/random.js';

/** What the policy did in an episode: points it was at, points it chose, and how good each choice was. */
export interface Episode {
  /** (steps, width), row by row. */
  readonly states: Float64Array;
  readonly actions: Float64Array;
  /** Reward less baseline; 0 for steps that nothing is learned from. */
  readonly advantages: Float64Array;
}

/** What a step leaves for the next one, and for gradients. */
interface Step {
  /** After their activations: input gate, forget gate, candidate, output gate; (4, units). */
  readonly gates: Float64Array;
  readonly cell: Float64Array;
  readonly hidden: Float64Array;
}

export class Policy {
  readonly width: number;
  readonly units: number;
  /** Gates by input (4·units, width), by hidden (4·units, units), biases (4·units); output (width, units), biases (width). */
  readonly weights: Float64Array;

  constructor(width: number, units: number, weights?: Float64Array) {
    this.width = width;
    this.units = units;
    this.weights = weights ?? new Float64Array(4 * units * (width + units + 1) + width * (units + 1));
  }

  /** Weights uniform between ±1/√units; biases of gates are the sum of two such numbers. */
  static random(width: number, units: number, random: Random): Policy {
    const policy = new Policy(width, units);
    const { biases, output } = policy.#parts();
    const draw = (): number => (2 * random.float() - 1) / Math.sqrt(units);
    policy.weights.forEach((_, i) => {
      policy.weights[i] = draw() + (i >= biases && i < output ? draw() : 0);
    });
    return policy;
  }

  /** An episode begins: gives the mean of the next point for each state. */
  begin(): (state: Float64Array) => Float64Array {
    let before: Step | undefined;
    return (state) => {
      before = this.#step(state, before);
      return this.#mean(before.hidden);
    };
  }

  /** Of the mean over steps of −log π·advantage. */
  gradient({ states, actions, advantages }: Episode): Float64Array {
    const { width, units, weights } = this;
    const { hiddens, biases, output, last } = this.#parts();
    const count = advantages.length;
    const stateAt = (t: number): Float64Array => states.subarray(t * width, (t + 1) * width);
    const steps: Step[] = [];
    for (let t = 0; t < count; t++) steps.push(this.#step(stateAt(t), steps[t - 1]));
    const gradient = new Float64Array(weights.length);
    let [toHidden, toCell] = [new Float64Array(units), new Float64Array(units)];
    for (let t = count - 1; t >= 0; t--) {
      const { gates, cell, hidden } = steps[t]!;
      const mean = this.#mean(hidden);
      for (let k = 0; k < width; k++) {
        const g = (-(actions[t * width + k]! - mean[k]!) * advantages[t]!) / count;
        gradient[last + k]! += g;
        const at = output + k * units;
        for (let u = 0; u < units; u++) {
          gradient[at + u]! += g * hidden[u]!;
          toHidden[u]! += g * weights[at + u]!;
        }
      }
      const before = steps[t - 1];
      const state = stateAt(t);
      const [nextHidden, nextCell] = [new Float64Array(units), new Float64Array(units)];
      for (let u = 0; u < units; u++) {
        const [i, f, g, o] = [gates[u]!, gates[units + u]!, gates[2 * units + u]!, gates[3 * units + u]!];
        const squashed = Math.tanh(cell[u]!);
        const c = toCell[u]! + toHidden[u]! * o * (1 - squashed * squashed);
        nextCell[u] = c * f;
        const inner = [
          c * g * i * (1 - i),
          c * (before?.cell[u] ?? 0) * f * (1 - f),
          c * i * (1 - g * g),
          toHidden[u]! * squashed * o * (1 - o),
        ];
        inner.forEach((d, gate) => {
          const row = gate * units + u;
          gradient[biases + row]! += d;
          for (let k = 0; k < width; k++) gradient[row * width + k]! += d * state[k]!;
          if (before === undefined) return;
          const at = hiddens + row * units;
          for (let v = 0; v < units; v++) {
            gradient[at + v]! += d * before.hidden[v]!;
            nextHidden[v]! += d * weights[at + v]!;
          }
        });
      }
      [toHidden, toCell] = [nextHidden, nextCell];
    }
    return gradient;
  }

  /** Where each part of the weights begins. */
  #parts() {
    const gates = 4 * this.units;
    const hiddens = gates * this.width;
    const biases = hiddens + gates * this.units;
    const output = biases + gates;
    return { hiddens, biases, output, last: output + this.width * this.units };
  }

  #step(state: Float64Array, before: Step | undefined): Step {
    const { width, units, weights } = this;
    const { hiddens, biases } = this.#parts();
    const gates = new Float64Array(4 * units);
    for (let row = 0; row < gates.length; row++) {
      let sum = weights[biases + row]!;
      for (let k = 0; k < width; k++) sum += weights[row * width + k]! * state[k]!;
      if (before) {
        const at = hiddens + row * units;
        for (let v = 0; v < units; v++) sum += weights[at + v]! * before.hidden[v]!;
      }
      const isCandidate = row >= 2 * units && row < 3 * units;
      gates[row] = isCandidate ? Math.tanh(sum) : 1 / (1 + Math.exp(-sum));
    }
    const cell = new Float64Array(units);
    const hidden = new Float64Array(units);
    for (let u = 0; u < units; u++) {
      cell[u] = gates[units + u]! * (before?.cell[u] ?? 0) + gates[u]! * gates[2 * units + u]!;
      hidden[u] = gates[3 * units + u]! * Math.tanh(cell[u]!);
    }
    return { gates, cell, hidden };
  }

  #mean(hidden: Float64Array): Float64Array {
    const { width, units, weights } = this;
    const { output, last } = this.#parts();
    return Float64Array.from({ length: width }, (_, k) => {
      let sum = weights[last + k]!;
      for (let u = 0; u < units; u++) sum += weights[output + k * units + u]! * hidden[u]!;
      return sum;
    });
  }
}
