// Files made to exhaust time, memory or stack: deep nesting, huge counts, shapes and numbers without end.
// Each kind is a function of its parameters; `BOMBS` draws the parameters.
import type { Random } from '../../../src/util/random.js';
import { text } from '../built-models.js';
import {
  chain,
  emptyMessages,
  emptyNodes,
  growingSequence,
  joinedConstants,
  longAttribute,
  longNames,
  manyAttributes,
  manyDims,
  manyMatrices,
  manyOutputs,
  manyScopes,
  wideNode,
} from './counts.js';
import type { File } from './files.js';
import {
  doublingFunctions,
  foldingFunctions,
  followedLoops,
  mutuallyRecursiveFunctions,
  nestedIf,
  nestedIfOneSided,
  nestedLoop,
  nestedType,
  nestedTypeInUse,
  recursiveFunction,
  repeatedFunction,
} from './nesting.js';
import {
  externalData,
  growingSizes,
  HUGE,
  highRank,
  longEquation,
  longFormula,
  manySymbols,
  range,
  SIZE_OPERATORS,
  symbolicElements,
} from './sizes.js';

const power = (random: Random, low: number, high: number): number =>
  Math.round(10 ** (low + (high - low) * random.float()));

/** One draw of every kind of bomb. */
export const BOMBS: Readonly<Record<string, (random: Random) => File>> = {
  'nested If': (random) => nestedIf(random.between(1, 9)),
  'nested If, one-sided': (random) => nestedIfOneSided(power(random, 1, 2.3)),
  'nested Loop': (random) => nestedLoop(random.between(2, 30)),
  'nested types': (random) => nestedType(power(random, 1, 3.7), random.pick(['sequence', 'optional'])),
  'nested types in use': (random) => nestedTypeInUse(random.between(1, 80)),
  'recursive functions': (random) =>
    random.chance(0.3) ? mutuallyRecursiveFunctions() : recursiveFunction(random.between(1, 4)),
  'repeated function': (random) => repeatedFunction(power(random, 1, 4), power(random, 1, 3)),
  'doubling functions': (random) => doublingFunctions(random.between(2, 40)),
  'folding functions': (random) => foldingFunctions(random.between(2, 20), random.pick([1, 64, 4096])),
  'long chain': (random) =>
    chain(power(random, 2, 4.3), random.pick(['Relu', 'Unknown']), random.chance(0.3)),
  'empty nodes': (random) => emptyNodes(power(random, 2, 4.7)),
  'empty messages': (random) =>
    emptyMessages(
      random.pick(['node', 'input', 'valueInfo', 'initializer', 'sparseInitializer']),
      power(random, 2, 5.2),
    ),
  'wide node': (random) =>
    wideNode(
      random.pick(['Concat', 'Sum', 'Max', 'Unknown', 'SequenceConstruct']),
      power(random, 2, 4.5),
      random.chance(0.5),
    ),
  'many outputs': (random) => manyOutputs(random.pick(['Split', 'Unknown', 'Relu']), power(random, 2, 4.5)),
  'long attribute': (random) => {
    const [opType, name] = random.pick([
      ['Transpose', 'perm'],
      ['MaxPool', 'kernel_shape'],
      ['Conv', 'pads'],
      ['Constant', 'value_ints'],
      ['ReduceSum', 'axes'],
      ['Unknown', 'a'],
    ] as const);
    return longAttribute(opType, name, power(random, 2, 5.5), random.pick([0, 1, -1, 2 ** 40]));
  },
  'many attributes': (random) => manyAttributes(power(random, 2, 4.7)),
  'many dims': (random) => manyDims(power(random, 1, 5)),
  'many matrices': (random) =>
    manyMatrices(power(random, 2, 3.7), random.pick([4, 16, 32]), random.pick([undefined, 0, 1])),
  'joined constants': (random) => joinedConstants(power(random, 2, 3.7)),
  'many scopes': (random) => manyScopes(power(random, 1, 3.4)),
  'long names': (random) => longNames(random.between(1, 50), power(random, 1, 3), power(random, 2, 4.7)),
  'growing sequence': (random) => growingSequence(power(random, 2, 3.8)),
  'followed loops': (random) =>
    followedLoops(random.between(1, 6), random.pick([2, 8, 64, 65, 1e9]), random.pick([1, 10, 100])),
  'many symbols': (random) => manySymbols(power(random, 2, 3.7)),
  'long formula': (random) => longFormula(power(random, 1, 4.5)),
  'high rank': (random) => {
    const opType = random.pick([
      'Transpose',
      'Relu',
      'Flatten',
      'ReduceSum',
      'Shape',
      'Softmax',
      'Einsum',
      'NonZero',
    ]);
    const attributes = opType === 'Einsum' ? { equation: text('...->...') } : {};
    return highRank(opType, power(random, 1, 2.5), random.pick([1, 2, 'n', '?']), attributes);
  },
  'growing sizes': (random) =>
    growingSizes(power(random, 0.5, 2.7), random.pick(['square', 'different', 'sums', 'minima'])),
  'symbolic elements': (random) => symbolicElements(random.between(1, 12)),
  'huge sizes': (random) =>
    random.pick(Object.values(SIZE_OPERATORS))(random.pick([...HUGE, -1, 0, -(2n ** 63n)])),
  'endless range': (random) => {
    const numbers = [
      0,
      -0,
      1,
      -1,
      1e-30,
      1e30,
      1e18,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ];
    return range(random.pick(numbers), random.pick(numbers), random.pick(numbers));
  },
  'long equation': (random) => longEquation(power(random, 1, 5)),
  'external data': (random) =>
    externalData(
      random.pick(['../../etc/passwd', '/etc/passwd', 'w.bin', '', '.', 'C:\\w', 'a\0b', '../'.repeat(2000)]),
      random.pick([0, 8, 2 ** 53 - 1]),
      random.pick([0, 16, 2 ** 53 - 1]),
    ),
};
