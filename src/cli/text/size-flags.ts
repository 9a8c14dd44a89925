// Flags that fix the sizes a network leaves open, with values that make sense.

import type { Inference } from '../../analysis/infer.js';
import { chosenSizesOf } from '../../transform/sizes.js';

/** `--shape x=1x3x224x224`, `--dim seq=64`; empty if all sizes are fixed. */
export function sizeFlags(inference: Inference): string {
  return chosenSizesOf(inference)?.flags ?? '';
}
