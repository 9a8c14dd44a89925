// All search spaces, by name. Adding one is its file and a line here.
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { autoFormerBase, autoFormerSmall, autoFormerTiny } from './autoformer.js';
import { darts } from './darts.js';
import { fbNet } from './fbnet.js';
import { hiaml } from './hiaml.js';
import { hwGptS } from './hwgpt.js';
import { inception } from './inception.js';
import { ltsGpt2 } from './lts-gpt2.js';
import { accelMnasNet } from './mnasnet-accel.js';
import { nasBench101 } from './nasbench101.js';
import { nasBench201 } from './nasbench201.js';
import { natsSize } from './nats-size.js';
import { nnlqpFamilies } from './nnlqp/families.js';
import { ofaMobileNetV3 } from './ofa-mobilenetv3.js';
import { ofaResNet } from './ofa-resnet.js';
import { proxylessNas } from './proxylessnas.js';
import type { AnySpace } from './space.js';
import { twoPath } from './two-path.js';

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
export { onnxSpace } from './onnx.js';
export type { AnySpace, ArchitectureSize, Cell, Choice, NetworkOptions, Space } from './space.js';

const spaces: AnySpace[] = [
  nasBench101,
  nasBench201,
  natsSize,
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

/** Makes a space known by its name. @throws AuspexError SPACE_TWICE */
export function registerSpace(space: AnySpace): void {
  if (spaces.some(({ name }) => name === space.name)) {
    throw new AuspexError('SPACE_TWICE', `there is a space called '${space.name}' already`);
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
