// What pickles hold, as plain data. A class or function that a pickle names is never looked for, let alone called: it
// stays an inert object with a name. The few below that only put data together are understood.
import { bytesOf, NumpyArray, NumpyType, numpyScalar, type Spend } from './numpy.js';

/** Dictionaries are Maps, lists and tuples arrays, None is null; integers beyond 2^53 are bigints. */
export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | PickleValue[]
  | PickleMap
  | Set<PickleValue>
  | PickleObject
  | NumpyArray
  | NumpyType;

export type PickleMap = Map<PickleValue, PickleValue>;

/** Something that only Python could make: its class or function, what it was called with, what was set on it. */
export class PickleObject {
  /** Module and name, such as `torch._utils._rebuild_tensor_v2`. */
  readonly class: string;
  /** Undefined for a class or function that was not called. */
  readonly args: PickleValue | undefined;
  state: PickleValue | undefined;
  /** What was appended to it, if it is a kind of list. */
  items: PickleValue[] | undefined;
  /** What was set in it, if it is a kind of dictionary. */
  entries: PickleMap | undefined;

  constructor(name: string, args?: PickleValue) {
    this.class = name;
    this.args = args;
  }

  /** Its items, to add more. */
  list(): PickleValue[] {
    this.items ??= [];
    return this.items;
  }

  /** Its entries, to add more. */
  dictionary(): PickleMap {
    this.entries ??= new Map();
    return this.entries;
  }
}

/** A Map or Set holds no more. */
export const MAX_ENTRIES = 2 ** 24 - 1;

type Construct = (args: readonly PickleValue[], spend: Spend) => PickleValue | undefined;

const dictionary: Construct = ([pairs], spend) => {
  const map: PickleMap = new Map();
  if (Array.isArray(pairs)) {
    if (pairs.length > MAX_ENTRIES) return undefined;
    spend(pairs.length);
    for (const pair of pairs) if (Array.isArray(pair) && pair.length === 2) map.set(pair[0]!, pair[1]!);
  }
  return map;
};
const collection: Construct = ([items], spend) => {
  const list = Array.isArray(items) ? items : [];
  if (list.length > MAX_ENTRIES) return undefined;
  spend(list.length);
  return new Set(list);
};
const bytes: Construct = ([text], spend) => {
  if (typeof text === 'string') spend(text.length);
  return text === undefined ? new Uint8Array(0) : bytesOf(text);
};
const reconstruct: Construct = () => new NumpyArray();

/** Callables that only put data together, by the names they had through the years. Undefined: the call stays inert. */
const CONSTRUCTORS: Readonly<Record<string, Construct>> = {
  'collections.OrderedDict': dictionary,
  'collections.defaultdict': () => new Map(),
  '__builtin__.set': collection,
  'builtins.set': collection,
  '__builtin__.frozenset': collection,
  'builtins.frozenset': collection,
  '__builtin__.bytearray': bytes,
  'builtins.bytearray': bytes,
  '__builtin__.bytes': bytes,
  'builtins.bytes': bytes,
  '_codecs.encode': bytes,
  'numpy.dtype': ([name]) => (typeof name === 'string' ? new NumpyType(name) : undefined),
  'numpy.core.multiarray._reconstruct': reconstruct,
  'numpy._core.multiarray._reconstruct': reconstruct,
  'numpy.core.multiarray.scalar': numpyScalar,
  'numpy._core.multiarray.scalar': numpyScalar,
  'numpy.core.numeric._frombuffer': NumpyArray.fromBuffer,
  'numpy._core.numeric._frombuffer': NumpyArray.fromBuffer,
};

/** What a call gives. A call takes a few bytes of a file and may copy millions of elements: `spend` counts them. */
export function construct(callable: PickleValue, args: PickleValue, spend: Spend): PickleValue {
  const name = callable instanceof PickleObject ? callable.class : 'unknown';
  const isName = callable instanceof PickleObject && callable.args === undefined;
  if (isName && Array.isArray(args) && Object.hasOwn(CONSTRUCTORS, name)) {
    const made = CONSTRUCTORS[name]!(args, spend);
    if (made !== undefined) return made;
  }
  return new PickleObject(name, args);
}

/** Sets the state of what was made. What has none of its own, such as a dictionary, stays as it is. */
export function build(target: PickleValue, state: PickleValue, spend: Spend): void {
  if (target instanceof PickleObject) target.state = state;
  else if (target instanceof NumpyType && Array.isArray(state)) target.isLittleEndian = state[1] !== '>';
  else if (target instanceof NumpyArray && Array.isArray(state)) target.fill(state, spend);
}
