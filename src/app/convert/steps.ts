// The transformations of `auspex convert`: which option asks for each, and how far outputs may differ afterwards.
import type { Model } from '../../graph/graph.js';
import { withOpset } from '../../transform/opset.js';
import type { Transformed } from '../../transform/transform.js';

/** What a user may ask for. */
export interface ConvertOptions {
  /** The version of ai.onnx. */
  readonly opset?: number | undefined;
}

export interface ConvertStep {
  readonly option: keyof ConvertOptions;
  /** Largest difference of an output that is taken for rounding, relative to its largest number. */
  readonly tolerance: number;
  apply(model: Model, options: ConvertOptions): Transformed | Promise<Transformed>;
}

/** In the order they are applied. */
export const STEPS: readonly ConvertStep[] = [
  { option: 'opset', tolerance: 1e-4, apply: (model, { opset }) => withOpset(model, opset!) },
];

/** The steps that options ask for. */
export function stepsFor(options: ConvertOptions): readonly ConvertStep[] {
  return STEPS.filter(({ option }) => options[option] !== undefined);
}
