// The loss of a network: the mean over its heads of cross-entropy, binary cross-entropy, or half the mean square of the
// distance from targets that are drawn from N(0, 1). Every head is a mean over its own elements, so that an output of
// many numbers counts as much as one of few.
import type { Model } from '../../graph/graph.js';
import { binaryCrossEntropy, crossEntropy, mse } from '../../nn/losses.js';
import type { Builder, Value } from '../../ops/build.js';
import type { HostTensor } from '../../runtime/session.js';
import { extend, extended } from '../../transform/rewrite.js';
import type { Head } from './heads.js';
import type { Subject } from './subject.js';

/** The input that holds what a head is compared with. */
export const targetOf = (position: number): string =>
  position === 0 ? 'auspex.labels' : `auspex.labels.${position}`;

/** The model with its loss, which takes labels and targets as inputs. */
export function lossModel(subject: Subject): { model: Model; loss: string } {
  const model = subject.trained;
  const builder = extend(model);
  const terms = subject.heads.map((head, i) =>
    builder.within('auspex.loss', () => term(builder, head, targetOf(i))),
  );
  const [first] = terms as [Value];
  const loss = terms.length === 1 ? first : builder.sum(terms).mul(1 / terms.length);
  return { model: extended(model, builder, [loss]), loss: loss.name };
}

function term(builder: Builder, head: Head, target: string): Value {
  const value = builder.value(head.name);
  if (head.loss === 'cross-entropy') {
    return crossEntropy(rowsOf(value, head), builder.input(target, 'int64', [head.rows]));
  }
  const targets = builder.input(target, value.dtype, head.dims);
  return head.loss === 'binary' ? binaryCrossEntropy(value, targets) : mse(value, targets).mul(0.5);
}

/** Logits (rows, classes). */
function rowsOf(value: Value, { axis, rows, classes }: Head): Value {
  const order = [...value.sizes.keys()].filter((i) => i !== axis);
  return value.transpose([...order, axis]).reshape([rows, classes]);
}

/** Inputs of a batch with what its heads are compared with. */
export async function lossFeeds(subject: Subject, index: number): Promise<Record<string, HostTensor>> {
  const feeds: Record<string, HostTensor> = { ...(await subject.feeds(index)) };
  for (const i of subject.heads.keys()) feeds[targetOf(i)] = await subject.targets(index, i);
  return feeds;
}

/**
 * The model with a value that is the sum of all heads, for gradients of the whole output.
 *
 * @param factorOf what a head counts with
 */
export function withTotal(
  model: Model,
  heads: readonly Head[],
  factorOf: (head: Head) => number = () => 1,
): { model: Model; total: string } {
  const [first, ...others] = heads as [Head, ...Head[]];
  if (others.length === 0) return { model, total: first.name };
  const builder = extend(model);
  const total = builder.sum(heads.map((head) => builder.value(head.name).sum().mul(factorOf(head))));
  const outputs = model.graph.outputs.map(({ name }) => builder.value(name));
  return { model: extended(model, builder, [...outputs, total]), total: total.name };
}
