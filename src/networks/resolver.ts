// From references to networks: the one place where architecture texts are recognised and models are opened. A reference
// is a space's text (`nasbench201:…`, or a text that one space recognises), a path, `onnx:FILE#edit`, bytes or a model.
import type { Model } from '../graph/graph.js';
import { decodeModel } from '../onnx/read.js';
import { SPACES, spaceNamed } from '../spaces/index.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { ArchNetwork } from './arch-network.js';
import { withinFile } from './base-network.js';
import { OpenedModel } from './file-network.js';
import type { Network } from './network.js';
import type { Sizes } from './sizes.js';

export type Reference = string | Uint8Array | Model;

/** The space of tables whose architectures are paths, and the prefix of references that edit a file. */
export const ONNX = 'onnx';

export interface ResolverOptions {
  /** Reads the model of a path. There are no files where this is missing. */
  readonly open?: (path: string) => Model;
  readonly isFile?: (path: string) => boolean;
  /** Spaces whose texts are recognised; all by default. */
  readonly spaces?: readonly AnySpace[];
  /** Names of spaces that win where a text could be of several. */
  readonly preferred?: readonly string[];
}

export interface ResolveOptions {
  readonly sizes?: Sizes;
  /** The space of texts that do not name it; `onnx` for paths. */
  readonly space?: string;
}

export class Resolver {
  readonly #options: ResolverOptions;
  /** Files by path: a file that is named twice is opened once. */
  readonly #opened = new Map<string, WeakRef<OpenedModel>>();
  /** The space that the latest unnamed text was of; texts that it can read are taken to be of it, too. */
  #latest: AnySpace | undefined;

  constructor(options: ResolverOptions = {}) {
    this.#options = options;
  }

  /**
   * The network of a reference.
   *
   * @throws AuspexError ARCH_TEXT, ARCH_AMBIGUOUS, SPACE_UNKNOWN, and what reading a file throws
   */
  network(ref: Reference, { sizes = {}, space }: ResolveOptions = {}): Network {
    if (typeof ref !== 'string') {
      const model = ref instanceof Uint8Array ? decodeModel(ref) : ref;
      return new OpenedModel(model.graph.name || 'model', undefined, () => model).at(sizes);
    }
    const colon = ref.indexOf(':');
    const prefix = colon < 0 ? '' : ref.slice(0, colon);
    if (prefix === ONNX) return this.#edited(ref.slice(colon + 1), sizes);
    const named = this.#spaces.find(({ name }) => name === prefix);
    if (named !== undefined) return architecture(named, ref.slice(colon + 1), sizes);
    if (space === ONNX || /\.onnx$/i.test(ref)) return this.#file(ref).at(sizes);
    // Lists are mostly of one space: its texts need no look at the disk and at other spaces.
    const again = space === undefined && this.#latest && parsed(this.#latest, ref);
    if (again) return new ArchNetwork(again.space, again.value, sizes);
    if (this.#options.isFile?.(ref)) return this.#file(ref).at(sizes);
    if (space === undefined) {
      const { space: found, value } = this.#recognised(ref);
      return new ArchNetwork(found, value, sizes);
    }
    return architecture(this.#spaces.find(({ name }) => name === space) ?? spaceNamed(space), ref, sizes);
  }

  /** The neighbourhood of a file, as a space; and any other space by name: `onnx:net.onnx`, `nasbench201`. */
  space(name: string): AnySpace {
    return name.startsWith(`${ONNX}:`) ? this.#file(name.slice(ONNX.length + 1)).space : spaceNamed(name);
  }

  get #spaces(): readonly AnySpace[] {
    return this.#options.spaces ?? SPACES;
  }

  #edited(text: string, sizes: Sizes): Network {
    const hash = text.indexOf('#');
    const path = hash < 0 ? text : text.slice(0, hash);
    const file = this.#file(path);
    if (hash < 0) return file.at(sizes);
    const { space } = file;
    return new ArchNetwork(
      space,
      withinFile(path, () => space.parse(text.slice(hash + 1))),
      sizes,
      path,
    );
  }

  #file(path: string): OpenedModel {
    const known = this.#opened.get(path)?.deref();
    if (known !== undefined) return known;
    const { open } = this.#options;
    if (open === undefined) {
      throw new AuspexError(
        'NETWORKS_UNREADABLE',
        `'${path}' cannot be opened: there is no file system here`,
        {
          hint: 'give the bytes of the file, or a function that opens it',
        },
      );
    }
    const opened = new OpenedModel(path, path, () => open(path));
    this.#opened.set(path, new WeakRef(opened));
    return opened;
  }

  /** The architecture in the one space that can read a text. */
  #recognised(text: string): Parsed {
    const fitting = this.#spaces.flatMap((space) => parsed(space, text) ?? []);
    const preferred = fitting.filter(({ space }) => this.#options.preferred?.includes(space.name));
    const [found, ...others] = preferred.length > 0 ? preferred : fitting;
    const shown = printableStart(text, 60);
    if (found === undefined) {
      throw new AuspexError(
        'ARCH_TEXT',
        `'${shown}' is neither a file nor an architecture of a known space`,
        {
          hint: 'check the path; `auspex space list NAME` shows how architectures are written',
        },
      );
    }
    if (others.length > 0) {
      const names = [found, ...others].map(({ space }) => space.name).join(' or ');
      throw new AuspexError('ARCH_AMBIGUOUS', `'${shown}' fits several spaces: ${names}`, {
        hint: `write ${found.space.name}:… or give --space`,
      });
    }
    this.#latest = found.space;
    return found;
  }
}

function architecture(space: AnySpace, text: string, sizes: Sizes): Network {
  return new ArchNetwork(space, space.parse(text), sizes);
}

/** An architecture that was read from a text. */
interface Parsed {
  readonly space: AnySpace;
  readonly value: unknown;
}

/** Undefined if the text is not an architecture of the space. */
function parsed(space: AnySpace, text: string): Parsed | undefined {
  try {
    return { space, value: space.parse(text) };
  } catch (error) {
    if (error instanceof AuspexError) return undefined;
    throw error;
  }
}
