// Versions of elementwise operators: broadcasting became NumPy's in opset 7; bounds of Clip became inputs in 11.
import type { VersionChange, VersionRule } from '../../versions.js';

/** Before opset 7 the second operand was fitted into the first from `axis` on, if `broadcast` said so. */
const numpyBroadcast: VersionRule = (step) => {
  const { call, node } = step;
  const gone = { axis: undefined, broadcast: undefined };
  if (!node.attributes.has('axis') && !node.attributes.has('broadcast')) return;
  const axis = call.int('broadcast', 0) === 1 ? call.int('axis') : undefined;
  const what = 'operands are broadcast by the rules of NumPy';
  if (axis === undefined) return step.change({ attributes: gone }, what);
  const [rank, own] = [call.tensor(0).rank, call.tensor(1).rank];
  if (rank === undefined || own === undefined) return step.refuse('the ranks of its operands are not known');
  const first = axis < 0 ? axis + rank : axis;
  const missing = rank - first - own;
  if (missing <= 0) return step.change({ attributes: gone }, what);
  const axes = Array.from({ length: missing }, (_, i) => own + i);
  const wider = step.write('Unsqueeze', [node.inputs[1]!], { axes });
  step.change(
    { inputs: [node.inputs[0]!, wider], attributes: gone },
    `${what}; the second one gets more dimensions`,
  );
};

/** Before opset 7 a vector of slopes was one per channel. */
const slopePerChannel: VersionRule = (step) => {
  const { call, node } = step;
  const [x, slope] = [call.tensor(0), call.tensor(1)];
  const isOne = slope.shape?.length === 0 || slope.size === 1;
  if (isOne || (slope.rank ?? 1) > 1 || x.rank === 2) return;
  if (x.rank === undefined || slope.rank === undefined)
    return step.refuse('the rank of its input is not known');
  const axes = Array.from({ length: x.rank - 2 }, (_, i) => i + 1);
  const wider = step.write('Unsqueeze', [node.inputs[1]!], { axes });
  step.change({ inputs: [node.inputs[0]!, wider] }, 'a slope per channel gets the dimensions of an image');
};

/** The bounds of Clip where none is given: the greatest number of 32 bits. */
const GREATEST = Math.fround(3.4028234663852886e38);

const boundsAsInputs: VersionRule = (step) => {
  const { call, node } = step;
  const given = ['min', 'max'].filter((name) => node.attributes.has(name));
  if (given.length === 0) return;
  const dtype = call.dtype(0) ?? step.refuse('the element type of its input is not known');
  const bound = (name: string, open: number): string => {
    const value = call.float(name, open);
    return value === open ? '' : step.constant([value], dtype, []);
  };
  const inputs = [node.inputs[0]!, bound('min', -GREATEST), bound('max', GREATEST)];
  while (inputs.at(-1) === '') inputs.pop();
  step.change({ inputs, attributes: { min: undefined, max: undefined } }, `${given.join(', ')} as inputs`);
};

const BROADCAST: readonly VersionChange[] = [{ since: 7, upgrade: numpyBroadcast }];
const OPERATORS = 'Add And Div Equal Greater Less Mul Or Pow Sub Xor'.split(' ');

export const elementwiseVersions: Readonly<Record<string, readonly VersionChange[]>> = {
  ...Object.fromEntries(OPERATORS.map((name) => [name, BROADCAST])),
  Clip: [{ since: 11, upgrade: boundsAsInputs }],
  PRelu: [{ since: 7, upgrade: slopePerChannel }],
};
