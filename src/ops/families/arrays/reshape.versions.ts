// The shape of Reshape became an input in opset 5, the axes of Squeeze and Unsqueeze in 13.
import { attributesToInputs, type VersionChange } from '../../versions.js';

const AXES: readonly VersionChange[] = [{ since: 13, upgrade: attributesToInputs(1, ['axes']) }];

export const reshapeVersions = {
  Reshape: [{ since: 5, upgrade: attributesToInputs(1, ['shape']) }],
  Squeeze: AXES,
  Unsqueeze: AXES,
};
