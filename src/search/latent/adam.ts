// Steps of Adam (Kingma & Ba 2015) on numbers in an array, in double precision: what small networks of strategies learn with, the
// same on every machine.

const [FIRST, SECOND, EPSILON] = [0.9, 0.999, 1e-8];

export class Adam {
  readonly #rate: number;
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  #steps = 0;

  constructor(size: number, rate: number) {
    this.#rate = rate;
    this.#first = new Float64Array(size);
    this.#second = new Float64Array(size);
  }

  /** Changes the weights. */
  step(weights: Float64Array, gradient: Float64Array): void {
    this.#steps++;
    const [first, second] = [this.#first, this.#second];
    const size = this.#rate / (1 - FIRST ** this.#steps);
    const correction = 1 / Math.sqrt(1 - SECOND ** this.#steps);
    for (let i = 0; i < weights.length; i++) {
      const g = gradient[i]!;
      const mean = FIRST * first[i]! + (1 - FIRST) * g;
      const square = SECOND * second[i]! + (1 - SECOND) * g * g;
      first[i] = mean;
      second[i] = square;
      weights[i]! -= (size * mean) / (Math.sqrt(square) * correction + EPSILON);
    }
  }
}
