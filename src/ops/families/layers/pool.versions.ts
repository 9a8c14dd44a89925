// The norm of Lp pools is a whole number since opset 2; RoiAlign moved its coordinates by half a pixel in 16.
import type { VersionRule } from '../../versions.js';

const wholeNorm: VersionRule = (step) => {
  const p = step.call.float('p', 2);
  if (!Number.isInteger(p)) step.refuse(`its norm is ${p}, and must be a whole number`);
  step.change({ attributes: { p } }, 'p is a whole number');
};

const BEFORE = 'output_half_pixel';

const coordinatesSaid: VersionRule = (step) =>
  step.change(
    { attributes: { coordinate_transformation_mode: BEFORE } },
    `its coordinates are ${BEFORE}, as they were before`,
  );

const coordinatesLeftOut: VersionRule = (step) => {
  const mode = step.call.string('coordinate_transformation_mode', 'half_pixel');
  if (mode !== BEFORE) step.refuse(`its coordinates are ${mode}`);
  step.change(
    { attributes: { coordinate_transformation_mode: undefined } },
    'its coordinates are the default',
  );
};

export const poolVersions = {
  GlobalLpPool: [{ since: 2, upgrade: wholeNorm }],
  LpPool: [{ since: 2, upgrade: wholeNorm }],
  RoiAlign: [{ since: 16, upgrade: coordinatesSaid, downgrade: coordinatesLeftOut }],
};
