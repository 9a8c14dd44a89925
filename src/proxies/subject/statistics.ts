// Normalisations as proxies take them: with the statistics of the batch, as networks at initialisation are trained, or
// gone altogether.

import { pruned } from '../../analysis/dependence.js';
import type { Model } from '../../graph/graph.js';
import { operatorName } from '../../graph/graph.js';
import type { Value } from '../../ops/build.js';
import { rewriteNodes } from '../../transform/rewrite.js';
import { AuspexError } from '../../util/errors.js';
import { findNormalisations, isBatchNormalisation } from './normalisations.js';
import { linksOf } from './value-links.js';

/**
 * BatchNormalization with the mean and variance of the batch instead of the running ones: exported networks are in
 * evaluation mode, where the code of the proxies' papers has them in training. Where mean and variance are computed from the
 * input, the operator only applies them: TensorFlow writes layer normalisation so, with samples as channels.
 */
export function withBatchStatistics(model: Model): Model {
  const links = linksOf(model);
  return rewriteNodes(model, (e) => {
    const { call } = e;
    if (!isBatchNormalisation(call.node, links) || call.int('training_mode', 0) !== 0) return undefined;
    const x = e.input(0);
    const { sizes } = x;
    const count = sizes.reduce((n, d) => n * d, 1) / (sizes[1] ?? 1);
    if (count < 2) {
      throw new AuspexError('BATCH_TOO_SMALL', 'batch statistics would come from one element per channel', {
        where: { node: call.node.name, operator: operatorName(call.node) },
        hint: 'give a larger --batch, or --statistics frozen',
      });
    }
    // ONNX Runtime writes the new statistics over what it is given, so that must be values nobody else reads.
    const inputs = [x, e.input(1), e.input(2), e.input(3).neg(), e.input(4).neg()];
    const epsilon = call.float('epsilon', 1e-5);
    return e.builder.apply(
      'BatchNormalization',
      inputs,
      { epsilon, momentum: 0, training_mode: 1 },
      { outputs: 3 },
    );
  });
}

interface WithoutNormalisation {
  readonly model: Model;
  /** How many were taken out. */
  readonly count: number;
}

/** Without normalisations: what goes in comes out. @param which all kinds, or only batch normalisation. */
export function withoutNormalisation(model: Model, which: 'all' | 'batch' = 'all'): WithoutNormalisation {
  const found = findNormalisations(model).filter(({ kind }) => which === 'all' || kind === 'batch');
  if (found.length === 0) return { model, count: 0 };
  const inputs = new Map(found.map(({ output, input }) => [output, input]));
  const changed = rewriteNodes(model, ({ call, builder }): readonly Value[] | undefined => {
    const [output] = call.node.outputs as [string];
    const input = inputs.get(output);
    return input === undefined ? undefined : [builder.value(input).cast(builder.value(output).dtype)];
  });
  // What is left of normalisations in parts need not run; weights stay, also those that nothing depends on.
  const { initializers } = changed.graph;
  const kept = pruned(changed);
  return { model: { ...kept, graph: { ...kept.graph, initializers } }, count: found.length };
}
