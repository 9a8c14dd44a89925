// Versions of normalisations. BatchNormalization lost its modes one by one and got one again; the first draft of
// MeanVarianceNormalization had others; the affine map of GroupNormalization is per channel since opset 21.
import { isKnown } from '../../../graph/dim.js';
import type { VersionRule } from '../../versions.js';

const inInference: VersionRule = (step) => {
  if (!step.node.attributes.has('is_test')) return;
  step.change({ attributes: { is_test: undefined } }, 'it uses its running statistics, as in inference');
};

/** Statistics of every activation are those of a channel, where each activation is a channel. */
const perChannel: VersionRule = (step) => {
  const { call, node } = step;
  if (!node.attributes.has('spatial')) return;
  const { shape } = call.tensor(0);
  const gone = { spatial: undefined };
  if (call.int('spatial', 1) !== 0 || shape?.length === 2) {
    return step.change({ attributes: gone }, 'spatial is left out');
  }
  if (shape === undefined) return step.refuse('the rank of its input is not known');
  if (node.outputs.length > 1) return step.refuse('it is trained with statistics of every activation');
  const [x, ...statistics] = node.inputs as [string, ...string[]];
  const all = step.constant([-1]);
  const flat = step.write('Flatten', [x], { axis: 1 });
  const vectors = statistics.map((name) => step.write('Reshape', [name, all]));
  const attributes = { epsilon: call.float('epsilon'), momentum: call.float('momentum') };
  const normal = step.write('BatchNormalization', [flat, ...vectors], attributes);
  const sizes = shape.slice(1);
  const back = sizes.every(isKnown) ? step.constant([0, ...(sizes as number[])]) : step.write('Shape', [x]);
  step.become(
    'Reshape',
    [normal, back],
    {},
    'activations are normalised one by one as channels of a flat input',
  );
};

/** Until opset 13, asking for statistics meant training. */
const trainingSaid: VersionRule = (step) => {
  const { node } = step;
  if (node.outputs.length === 1) return;
  const used = node.outputs.map((_, i) => i > 0 && step.isUsed(i));
  if (used[3] || used[4]) step.refuse('the statistics of the batch are read, which it does not give');
  if (used[1] || used[2]) {
    const change = { outputs: node.outputs.slice(0, 3), attributes: { training_mode: 1 } };
    return step.change(change, 'it is in training mode');
  }
  step.change({ outputs: node.outputs.slice(0, 1) }, 'statistics that nothing reads are left out');
};

/** Images are normalised each for itself, by channel or all channels together. */
const axesSaid: VersionRule = (step) => {
  const { call, node } = step;
  const rank = call.tensor(0).rank ?? 4;
  const isAcross = call.int('across_channels', 0) !== 0;
  const axes = Array.from({ length: rank }, (_, i) => i).slice(isAcross ? 1 : 2);
  const [x] = node.inputs as [string];
  if (call.int('normalize_variance', 1) !== 0) {
    return step.become('MeanVarianceNormalization', [x], { axes }, 'its axes are written out');
  }
  const mean = step.write('ReduceMean', [x], { axes });
  step.become('Sub', [x, mean], {}, 'only the mean is taken off');
};

/** One number per group is repeated for all of its channels. */
const affineByChannel: VersionRule = (step) => {
  const { call, node } = step;
  const groups = call.required(call.int('num_groups'), 'num_groups');
  const channels = call.tensor(0).shape?.[1];
  if (!isKnown(channels)) return step.refuse('the number of its channels is not known');
  const [x, ...affine] = node.inputs as [string, ...string[]];
  const byChannel = affine.map((name) => {
    const column = step.write('Reshape', [name, step.constant([groups, 1])]);
    const repeated = step.write('Expand', [column, step.constant([groups, channels / groups])]);
    return step.write('Reshape', [repeated, step.constant([channels])]);
  });
  step.change({ inputs: [x, ...byChannel] }, 'scale and bias are repeated for every channel of a group');
};

export const normalizationVersions = {
  BatchNormalization: [
    { since: 7, upgrade: inInference },
    { since: 9, upgrade: perChannel },
    { since: 14, upgrade: trainingSaid },
  ],
  GroupNormalization: [
    {
      since: 21,
      upgrade: affineByChannel,
      downgrade: ((step) => step.refuse('its scale and bias are per channel')) as VersionRule,
    },
  ],
  MeanVarianceNormalization: [{ since: 9, upgrade: axesSaid }],
};
