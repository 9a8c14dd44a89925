// Flags that fix the sizes a network leaves open, with values that make sense.

import type { Inference } from '../../analysis/infer.js';
import { typicalSizes } from '../../analysis/typical-sizes.js';

/** `--dim batch=1 --dim height=224`; empty if all sizes are fixed. */
export function sizeFlags({ graph }: Inference): string {
  const flags = [...typicalSizes(graph)].map(([symbol, size]) => {
    const assignment = `${symbol}=${size}`;
    return `--dim ${/^[\w.=]+$/.test(assignment) ? assignment : `'${assignment}'`}`;
  });
  return flags.join(' ');
}
