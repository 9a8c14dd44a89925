// A network that is a point of a search space, at the space's own sizes or at others.
import { type Inference, inferShapes } from '../analysis/infer.js';
import type { Model } from '../graph/graph.js';
import type { AnySpace, NetworkOptions } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { BaseNetwork } from './base-network.js';
import type { Architecture, Network } from './network.js';
import { mergedSizes, type Sizes } from './sizes.js';

export class ArchNetwork extends BaseNetwork {
  readonly ref: string;
  readonly file: string | undefined;
  readonly arch: Architecture;
  readonly sizes: Sizes;

  /** @param file that the space is made from, if it is the neighbourhood of one */
  constructor(space: AnySpace, value: unknown, sizes: Sizes = {}, file?: string) {
    super();
    const text = space.format(value);
    this.arch = { space, value, text };
    this.ref = file === undefined ? `${space.name}:${text}` : `${space.name}:${file}#${text}`;
    this.sizes = sizes;
    this.file = file;
  }

  at(sizes: Sizes): Network {
    return new ArchNetwork(this.arch.space, this.arch.value, mergedSizes(this.sizes, sizes), this.file);
  }

  /** Spaces settle all sizes themselves. */
  settled(): Network {
    return this;
  }

  chosenSizes(): undefined {}

  key(): string {
    const { space, value, text } = this.arch;
    const name = this.file === undefined ? space.name : `${space.name}:${this.file}#`;
    return `${name}:${space.hash?.(value) ?? text}`;
  }

  protected makeModel(): Model {
    const { space, value } = this.arch;
    return space.network(value, this.#options());
  }

  protected makeInference(): Inference {
    const { dims } = this.sizes;
    return inferShapes(this.model(), dims === undefined ? {} : { dims });
  }

  /** A space builds its networks at sizes; the shape of its one input says batch and resolution. */
  #options(): NetworkOptions {
    const { dims: _, shapes = {}, ...options } = this.sizes;
    const [[name, shape] = [], ...more] = Object.entries(shapes);
    if (name === undefined || shape === undefined) return options;
    const [batch, ...rest] = shape;
    const resolution = rest.at(-1);
    const isSquare = rest.length === 1 || (rest.length === 3 && rest[1] === rest[2]);
    if (more.length > 0 || typeof batch !== 'number' || typeof resolution !== 'number' || !isSquare) {
      throw new AuspexError('BAD_SHAPE', `networks of ${this.arch.space.title} cannot have this shape`, {
        hint: 'give --batch and --resolution; their images are square',
      });
    }
    return { ...options, batch, resolution };
  }
}
