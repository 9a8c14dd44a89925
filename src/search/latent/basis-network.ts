// The network that DNGO takes its basis functions from: one hidden layer of tanh and a linear output, learned with Adam and the
// mean squared error. Double precision and written out: a round of a search takes thousands of steps of microseconds.
import type { Random } from '../../util/random.js';
import { Adam } from './adam.js';

/** Three times as fast as `Math.tanh`, and as exact as sums of such numbers are. */
const tanh = (x: number): number => 1 - 2 / (Math.exp(2 * x) + 1);

export interface BasisOptions {
  readonly units: number;
  readonly epochs: number;
  readonly rate: number;
  readonly batch: number;
}

export class BasisNetwork {
  readonly inputs: number;
  readonly units: number;
  /** Hidden weights (units, inputs), hidden biases, output weights (units), the output's bias. */
  readonly weights: Float64Array;

  constructor(inputs: number, units: number, weights?: Float64Array) {
    this.inputs = inputs;
    this.units = units;
    this.weights = weights ?? new Float64Array(units * (inputs + 2) + 1);
  }

  /** Weights uniform between ±1/√inputs of their layer. */
  static random(inputs: number, units: number, random: Random): BasisNetwork {
    const network = new BasisNetwork(inputs, units);
    const hidden = units * (inputs + 1);
    network.weights.forEach((_, i) => {
      network.weights[i] = (2 * random.float() - 1) / Math.sqrt(i < hidden ? inputs : units);
    });
    return network;
  }

  /** Passes over the rows in batches, in a new order each; rows that do not fill the last batch wait for the next pass. */
  async fit(
    x: Float64Array,
    y: Float64Array,
    { epochs, rate, batch }: BasisOptions,
    random: Random,
    pause: () => Promise<void>,
  ): Promise<void> {
    const adam = new Adam(this.weights.length, rate);
    const size = Math.min(batch, y.length);
    const gradient = new Float64Array(this.weights.length);
    for (let epoch = 0; epoch < epochs; epoch++) {
      const order = random.sample(y.length, y.length);
      for (let at = 0; at + size <= y.length; at += size) {
        adam.step(this.weights, this.gradient(x, y, order.subarray(at, at + size), gradient));
      }
      await pause();
    }
  }

  /** Of the mean squared error of some rows. @param gradient is filled, for callers that have one at hand */
  gradient(
    x: Float64Array,
    y: Float64Array,
    rows: ArrayLike<number>,
    gradient = new Float64Array(this.weights.length),
  ): Float64Array {
    const { inputs, units, weights } = this;
    gradient.fill(0);
    const hidden = new Float64Array(units);
    const [biases, outputs, last] = [units * inputs, units * (inputs + 1), weights.length - 1];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const from = row * inputs;
      this.basis(x, row, hidden);
      let error = weights[last]! - y[row]!;
      for (let u = 0; u < units; u++) error += weights[outputs + u]! * hidden[u]!;
      error *= 2 / rows.length;
      gradient[last]! += error;
      for (let u = 0; u < units; u++) {
        const h = hidden[u]!;
        gradient[outputs + u]! += error * h;
        const inner = error * weights[outputs + u]! * (1 - h * h);
        gradient[biases + u]! += inner;
        const at = u * inputs;
        for (let k = 0; k < inputs; k++) gradient[at + k]! += inner * x[from + k]!;
      }
    }
    return gradient;
  }

  /** The hidden layer of a row, into `to`. */
  basis(x: Float64Array, row: number, to: Float64Array): void {
    const { inputs, units, weights } = this;
    const [from, biases] = [row * inputs, units * inputs];
    let u = 0;
    // Two sums at once, as one addition would wait for the other.
    for (; u + 2 <= units; u += 2) {
      const [p, q] = [u * inputs, (u + 1) * inputs];
      let [a, b] = [weights[biases + u]!, weights[biases + u + 1]!];
      for (let k = 0; k < inputs; k++) {
        a += weights[p + k]! * x[from + k]!;
        b += weights[q + k]! * x[from + k]!;
      }
      to[u] = tanh(a);
      to[u + 1] = tanh(b);
    }
    if (u === units) return;
    let sum = weights[biases + u]!;
    for (let k = 0; k < inputs; k++) sum += weights[u * inputs + k]! * x[from + k]!;
    to[u] = tanh(sum);
  }
}
