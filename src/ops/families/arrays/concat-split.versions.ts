// Concat must say its axis since opset 4; Tile repeats all axes since 6; the parts of Split became an input in 13, and
// their number must be said since 18 where they are not.
import { attributesToInputs, type VersionRule } from '../../versions.js';

const axisSaid: VersionRule = (step) => {
  if (!step.node.attributes.has('axis')) step.change({ attributes: { axis: 1 } }, 'its axis is written out');
};

/** Opset 1 takes how often to repeat, and one axis. */
const repeatsOfAllAxes: VersionRule = (step) => {
  const { call, node } = step;
  const [rank, tiles, axis] = [call.tensor(0).rank, call.numbers(1)?.[0], call.numbers(2)?.[0]];
  if (rank === undefined || tiles === undefined || axis === undefined) {
    return step.refuse('its rank, its axis or how often it repeats is not known');
  }
  const repeats = Array.from({ length: rank }, (_, i) => (i === call.axis(axis, rank) ? tiles : 1));
  step.change({ inputs: [node.inputs[0]!, step.constant(repeats)] }, 'repeats are given for all axes');
};

const partsAsInput: VersionRule = (step) => {
  if (!step.call.has(1)) attributesToInputs(1, ['split'])(step);
};

const countSaid: VersionRule = (step) => {
  if (step.call.has('split')) return;
  step.change(
    { attributes: { num_outputs: step.node.outputs.length } },
    'the number of parts is written out',
  );
};

/** Parts of equal size need no more; those of which the last is smaller are listed. */
const countLeftOut: VersionRule = (step) => {
  const { call, node } = step;
  const count = call.int('num_outputs');
  if (count === undefined) return;
  const { shape } = call.tensor(0);
  const size = shape?.[call.axis(call.int('axis', 0), shape.length)];
  if (typeof size !== 'number') return step.refuse('the size that it splits is not known');
  const part = Math.ceil(size / count);
  const parts = Array.from({ length: count }, (_, i) => Math.min(part, size - i * part));
  step.change(
    { inputs: [node.inputs[0]!, step.constant(parts)], attributes: { num_outputs: undefined } },
    'the sizes of its parts are written out',
  );
};

export const concatSplitVersions = {
  Concat: [{ since: 4, upgrade: axisSaid }],
  Split: [
    // An input of opset 1 that 2 does not have, and 13 has again.
    { since: 2, upgrade: () => undefined },
    { since: 13, upgrade: partsAsInput },
    { since: 18, upgrade: countSaid, downgrade: countLeftOut },
  ],
  Tile: [{ since: 6, upgrade: repeatsOfAllAxes }],
};
