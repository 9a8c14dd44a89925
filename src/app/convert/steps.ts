// The transformations of `auspex convert`: which option asks for each, and how far outputs may differ afterwards.
import type { Model } from '../../graph/graph.js';
import { LEAST_OPSET } from '../../ops/build.js';
import { withBatch } from '../../transform/batch.js';
import { withoutControlFlow } from '../../transform/control-flow.js';
import { differentiablePart } from '../../transform/cut.js';
import { inFloat } from '../../transform/dequantise.js';
import { withInputSizes } from '../../transform/input-sizes.js';
import { inFloat16 } from '../../transform/narrower-floats.js';
import { withOpset } from '../../transform/opset.js';
import { simplified } from '../../transform/simplify/simplify.js';
import type { GivenSizes } from '../../transform/sizes.js';
import { inTurn, type Transformed } from '../../transform/transform.js';
import { inFloat32 } from '../../transform/wider-floats.js';

/** What a user may ask for. */
export interface ConvertOptions {
  /** The version of ai.onnx. */
  readonly opset?: number | undefined;
  readonly sizes?: GivenSizes | undefined;
  readonly batch?: number | 'dynamic' | undefined;
  /** Quantised and narrow numbers become float32: `rounded` as before, or `plain`, as before quantisation. */
  readonly float?: 'rounded' | 'plain' | undefined;
  readonly fp16?: boolean | undefined;
  /** Whether only the part that has gradients is kept. */
  readonly cut?: boolean | undefined;
  readonly simplify?: boolean | undefined;
}

interface ConvertStep {
  readonly option: keyof ConvertOptions;
  /** Largest difference of an output that is taken for rounding, relative to its largest number. */
  readonly tolerance: number;
  /** Or the least cosine between both, where outputs are close on purpose only. */
  readonly cosine?: number;
  /** The oldest opset that it takes. */
  readonly leastOpset?: number;
  apply(model: Model, options: ConvertOptions): Transformed | Promise<Transformed>;
}

const ROUNDING = 1e-4;

/** In the order they are applied. */
const STEPS: readonly ConvertStep[] = [
  { option: 'sizes', tolerance: ROUNDING, apply: (model, { sizes }) => withInputSizes(model, sizes!) },
  {
    option: 'float',
    tolerance: ROUNDING,
    cosine: 0.95,
    leastOpset: LEAST_OPSET,
    apply: (model, { float }) =>
      inTurn(
        model,
        (m) => withoutControlFlow(m, { branches: 'decided' }),
        (m) => inFloat(m, { rounding: float === 'plain' ? 'left-out' : 'straight-through' }),
        inFloat32,
      ),
  },
  {
    option: 'cut',
    tolerance: ROUNDING,
    leastOpset: LEAST_OPSET,
    apply: (model) =>
      inTurn(
        model,
        (m) => withoutControlFlow(m),
        (m) => differentiablePart(m),
      ),
  },
  { option: 'batch', tolerance: ROUNDING, apply: (model, { batch }) => withBatch(model, batch!) },
  { option: 'simplify', tolerance: ROUNDING, apply: (model) => simplified(model) },
  {
    option: 'fp16',
    tolerance: 1e-2,
    cosine: 0.99,
    leastOpset: LEAST_OPSET,
    apply: (model) => inFloat16(model),
  },
];

/** A version that all steps take, and that older runtimes read. */
const USUAL_OPSET = 17;

/** The steps that options ask for: first up to a newer opset, last down to an older one. */
export function stepsFor(options: ConvertOptions, { opsetImports }: Model): readonly ConvertStep[] {
  const steps = STEPS.filter(({ option }) => options[option] !== undefined && options[option] !== false);
  const own = opsetImports.get('') ?? 0;
  const least = Math.max(0, ...steps.map(({ leastOpset = 0 }) => leastOpset));
  const wanted = options.opset ?? own;
  const first = Math.max(wanted, own < least ? USUAL_OPSET : 0);
  const to = (opset: number): ConvertStep[] => [
    { option: 'opset', tolerance: ROUNDING, apply: (model) => withOpset(model, opset) },
  ];
  return [
    ...(options.opset !== undefined || first !== own ? to(Math.max(first, own)) : []),
    ...steps,
    ...(options.opset !== undefined && wanted < Math.max(first, own) ? to(wanted) : []),
  ];
}
