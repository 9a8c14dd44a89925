// What Slice takes became inputs in opset 10.
import { attributesToInputs } from '../../versions.js';

export const sliceVersions = {
  Slice: [{ since: 10, upgrade: attributesToInputs(1, ['starts', 'ends', 'axes']) }],
};
