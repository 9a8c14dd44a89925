// The modes of GridSample got the names that they have in any number of dimensions in opset 20.
import type { VersionRule } from '../../versions.js';

const NEW_NAMES: readonly (readonly [string, string])[] = [
  ['bilinear', 'linear'],
  ['bicubic', 'cubic'],
];

function modeRenamed(from: 0 | 1): VersionRule {
  return (step) => {
    const mode = step.call.string('mode', '');
    const names = NEW_NAMES.find((pair) => pair[from] === mode);
    if (from === 1 && (step.call.tensor(0).rank ?? 4) !== 4) step.refuse('it takes images only');
    if (names)
      step.change({ attributes: { mode: names[1 - from]! } }, `mode ${mode} is called ${names[1 - from]}`);
  };
}

export const imageVersions = {
  GridSample: [{ since: 20, upgrade: modeRenamed(0), downgrade: modeRenamed(1) }],
};
