// A network, whatever names it: an architecture of a space, an ONNX file, an edit of a file, bytes. Its parts (model,
// shapes, cost, cell) are made when asked for, and once. Predictors, proxies and searches see nothing else.
import type { CostReport } from '../analysis/cost.js';
import type { Inference } from '../analysis/infer.js';
import type { Model } from '../graph/graph.js';
import type { NetworkDescription } from '../spaces/describe.js';
import type { AnySpace, Cell } from '../spaces/space.js';
import type { ChosenSizes } from '../transform/sizes.js';
import type { Sizes } from './sizes.js';

/** A point of a search space. */
export interface Architecture {
  readonly space: AnySpace;
  /** As the space holds it. */
  readonly value: unknown;
  /** Its canonical text. */
  readonly text: string;
}

/** A cell with every operation, or without those that have no part in the result. */
export type CellForm = 'whole' | 'pruned';

export interface Network {
  /** What resolves to this network: `nasbench201:|…|`, a path, `onnx:net.onnx#base;Relu_3=Gelu`. */
  readonly ref: string;
  /** The path it was read from. */
  readonly file: string | undefined;
  /** The architecture it is, where that is known: a space's text, or a file that says so. */
  readonly arch: Architecture | undefined;
  readonly sizes: Sizes;
  /** The same network at other sizes; what is not given stays. */
  at(sizes: Sizes): Network;
  /** The network with sizes chosen for all that it leaves open. */
  settled(): Network;
  /** The sizes that `settled` chooses, and why; undefined if none are open. */
  chosenSizes(): ChosenSizes | undefined;
  /** The same for references that mean the same network. */
  key(): string;
  model(): Model;
  /**
   * Shapes and types of all values. `inferShapes` throws what it finds wrong with the file.
   */
  inference(): Inference;
  cost(): CostReport;
  /** Parameters, MACs, FLOPs, depth and nodes: the cheapest answer, for pools of thousands. */
  counts(): NetworkDescription;
  /** The structure hash. */
  hash(): string;
  /** Undefined for a network of which no cell is known. */
  cell(form?: CellForm): Cell | undefined;
}
