// Scatter was renamed in opset 11.
import type { VersionRule } from '../../versions.js';

const renamed: VersionRule = (step) =>
  step.change({ opType: 'ScatterElements' }, 'it is called ScatterElements');

export const scatterVersions = { Scatter: [{ since: 11, upgrade: renamed }] };
