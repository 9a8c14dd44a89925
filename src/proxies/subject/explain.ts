// What was found in a network, and so what its scores are made of: which weights count, which are of attention and which
// of perceptrons, which value is the output of the last block. Options of a subject override each.
import type { Change } from '../../transform/transform.js';
import { AuspexError } from '../../util/errors.js';
import { linearParts } from '../scores/dss.js';
import { type AttentionBlock, findBlocks } from './blocks.js';
import { type Features, featuresOf } from './features.js';
import type { Head } from './heads.js';
import type { Subject } from './subject.js';

export interface ExplainedTensor {
  readonly name: string;
  readonly dims: readonly number[];
  /** `weight`, `bias`, `embedding`, `scale`, … */
  readonly role: string;
  /** Whether proxies of weights and gradients look at it. */
  readonly counts: boolean;
  /** Of a linear layer: `attention`, `perceptron` (before the end of the last block) or `head` (behind it). */
  readonly part?: 'attention' | 'perceptron' | 'head';
}

export interface Explanation {
  readonly inputs: readonly { readonly name: string; readonly type: string }[];
  readonly samples: number;
  readonly logits: { readonly name: string; readonly dims: readonly number[]; readonly classes: number };
  /** What the loss is made of, and why. */
  readonly heads: readonly Pick<Head, 'output' | 'name' | 'dims' | 'loss' | 'why'>[];
  /** What was done to the network before it was scored. */
  readonly changes: readonly Change[];
  /** What could not be done. */
  readonly problems: readonly { readonly step: string; readonly code: string; readonly message: string }[];
  /** The output of the last block; null where none is found. */
  readonly features: Features | null;
  /** Attention, in the order it runs. */
  readonly blocks: readonly AttentionBlock[];
  /** Constants that are trained, and running statistics. */
  readonly tensors: readonly ExplainedTensor[];
}

/**
 * @example
 * explainSubject(Subject.of(readModel('vit.onnx'))).features; // { name: '/blocks.11/Add_1_output_0', … }
 */
export function explainSubject(subject: Subject): Explanation {
  const { name, dims, classes } = subject.logits;
  const features = orNull(() => featuresOf(subject));
  const parts = new Map(features ? linearParts(subject).map(([layer, part]) => [layer.weight, part]) : []);
  return {
    inputs: subject.model.graph.inputs.map((input) => ({ name: input.name, type: String(input.type) })),
    samples: subject.samples,
    logits: { name, dims, classes },
    heads: subject.heads.map((head) => ({
      output: head.output,
      name: head.name,
      dims: head.dims,
      loss: head.loss,
      why: head.why,
    })),
    changes: subject.changes,
    problems: subject.problems.map(({ step, error }) => ({ step, code: error.code, message: error.message })),
    features,
    blocks: findBlocks(subject),
    tensors: subject.explain().map((tensor) => {
      const part = parts.get(tensor.name);
      return part === undefined ? tensor : { ...tensor, part };
    }),
  };
}

function orNull<T>(find: () => T): T | null {
  try {
    return find();
  } catch (error) {
    if (error instanceof AuspexError) return null;
    throw error;
  }
}
