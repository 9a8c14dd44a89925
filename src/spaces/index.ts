// All search spaces, by name. Adding one is its file and a line here.
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { darts } from './cells/darts.js';
import { nasBench101 } from './cells/nasbench101.js';
import { nasBench201 } from './cells/nasbench201.js';
import { natsSize } from './cells/nats-size.js';
import { transNasMicro } from './cells/transnas-micro.js';
import { hiaml } from './gennape/hiaml.js';
import { inception } from './gennape/inception.js';
import { twoPath } from './gennape/two-path.js';
import { fbNet } from './mobile/fbnet.js';
import { accelMnasNet } from './mobile/mnasnet-accel.js';
import { ofaMobileNetV3 } from './mobile/ofa-mobilenetv3.js';
import { ofaResNet } from './mobile/ofa-resnet.js';
import { proxylessNas } from './mobile/proxylessnas.js';
import { nnlqpFamilies } from './nnlqp/families.js';
import type { AnySpace } from './space.js';
import { autoFormerBase, autoFormerSmall, autoFormerTiny } from './transformers/autoformer.js';
import { hwGptS } from './transformers/hwgpt.js';
import { ltsGpt2 } from './transformers/lts-gpt2.js';

export {
  changeEach,
  choiceCount,
  crossover,
  distance,
  mutate,
  mutateEach,
  neighbours,
} from './choices.js';
export { type Description, describeArchitecture } from './describe.js';
export { onnxSpace } from './onnx/neighbourhood.js';
export type { AnySpace, ArchitectureSize, Cell, Choice, NetworkOptions, Space } from './space.js';

const spaces: AnySpace[] = [
  nasBench101,
  nasBench201,
  natsSize,
  transNasMicro,
  darts,
  hiaml,
  inception,
  twoPath,
  proxylessNas,
  ofaMobileNetV3,
  ofaResNet,
  fbNet,
  accelMnasNet,
  autoFormerTiny,
  autoFormerSmall,
  autoFormerBase,
  ltsGpt2,
  hwGptS,
  ...nnlqpFamilies,
];

/** All spaces, those that were registered last. */
export const SPACES: readonly AnySpace[] = spaces;

/**
 * Makes a search space known by its name.
 *
 * @throws AuspexError SPACE_TWICE
 * @example
 * const base = space('nats-size');
 * const widths = [8, 16, 24];
 * registerSpace({
 *   ...base,
 *   name: 'one-width',
 *   title: 'One width',
 *   size: 3n,
 *   example: 'w8',
 *   sample: (random) => random.pick(widths),
 *   parse: (text) => Number(text.slice(1)),
 *   format: (width) => `w${width}`,
 *   choices: (width) => [
 *     { site: 'width', present: width as number, count: 3, option: (i) => widths[i]!, set: (i) => widths[i] },
 *   ],
 *   network: (width, options) => base.network(base.parse(Array(5).fill(width).join(':')), options),
 * });
 * network('one-width:w8').counts().parameters === network('nats-size:8:8:8:8:8').counts().parameters; // true
 */
export function registerSpace(space: AnySpace): void {
  if (spaces.some(({ name }) => name === space.name)) {
    throw new AuspexError('SPACE_TWICE', `a space called '${space.name}' already exists`);
  }
  spaces.push(space);
}

/**
 * The space of a name.
 *
 * @example
 * const space = spaceNamed('nasbench201');
 */
export function spaceNamed(name: string): AnySpace {
  const space = SPACES.find((s) => s.name === name);
  if (space) return space;
  const shown = printableStart(name, 40);
  const close = SPACES.filter((s) => s.name.includes(name.toLowerCase()) || name.includes(s.name));
  throw new AuspexError('SPACE_UNKNOWN', `there is no space called '${shown}'`, {
    hint:
      close.length > 0 && name !== ''
        ? `did you mean ${close.map((s) => `'${s.name}'`).join(' or ')}?`
        : 'list them: auspex space list',
  });
}
