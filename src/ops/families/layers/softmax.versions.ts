// Before opset 13, Softmax and its relatives took all dimensions from `axis` on as one.
import { isKnown } from '../../../graph/dim.js';
import type { VersionChange, VersionStep } from '../../versions.js';

/** Stays one node where only one of the dimensions from `axis` on is larger than 1. */
function alongOneAxis(step: VersionStep): void {
  const { call, node } = step;
  const axis = call.int('axis', 1);
  const shape = call.shape(0);
  // The last one, whatever the rank.
  if (axis === -1) return;
  if (shape === undefined) return flattened(step, axis, undefined);
  const first = call.axis(axis, shape.length);
  const larger = shape.flatMap((size, i) => (i >= first && size !== 1 ? [i] : []));
  if (larger.length > 1) return flattened(step, first, shape.slice(first));
  const along = larger[0] ?? shape.length - 1;
  const isSaid = node.attributes.has('axis') && along === axis;
  if (!isSaid)
    step.change({ attributes: { axis: along } }, 'its axis is written out, as the default changed');
}

function flattened(step: VersionStep, axis: number, sizes: readonly unknown[] | undefined): void {
  const { node } = step;
  const [x] = node.inputs as [string];
  const flat = step.write('Flatten', [x], { axis });
  const shares = step.write(node.opType, [flat], { axis: 1 });
  // The first dimension stays open where it is the batch.
  const known = axis === 1 && sizes?.every((size) => isKnown(size as number));
  const shape = known ? step.constant([0, ...(sizes as number[])]) : step.write('Shape', [x]);
  step.become(
    'Reshape',
    [shares, shape],
    {},
    'all dimensions from its axis on are taken as one by Flatten and Reshape',
  );
}

const VERSIONS: readonly VersionChange[] = [{ since: 13, upgrade: alongOneAxis }];

export const softmaxVersions = { Hardmax: VERSIONS, LogSoftmax: VERSIONS, Softmax: VERSIONS };
