// The buffers that ONNX Runtime plans for what kernels write: a result takes the memory of an operand that ends there, of what it
// views, or of a value of the same shape that ended before. Memory that is used again is held in between. Inputs belong to the caller.
import type { InferredGraph, InferredNode } from '../../analysis/infer.js';
import { copyOf, type Kernel } from '../../analysis/kernels/kernel.js';
import { isKnown, namesIn } from '../../graph/dim.js';
import { bytesFor } from '../../graph/dtype.js';
import { isTensor } from '../../graph/types.js';
import { KERNEL_NAMES, WRITES_OVER } from '../../ops/microsoft/fusions.js';
import { executionOrder } from './order.js';

export interface Buffer {
  readonly bytes: number;
  /** The first and the last kernel that use it, by their positions. */
  readonly from: number;
  until: number;
  /** Whether it is given to the caller. */
  readonly isOutput: boolean;
  /** The bytes and sizes of the value that it was made for. */
  readonly shape: string;
}

/**
 * Buffers in the order in which they are taken.
 *
 * @param asFound the graph without the sizes that a run gives: memory is shared only where the runtime knows before that it fits
 */
export function plannedBuffers(
  graph: InferredGraph,
  kernels: readonly Kernel[],
  asFound: InferredGraph = graph,
): Buffer[] {
  return new BufferPlan(graph, executionOrder(kernels), asFound).buffers;
}

class BufferPlan {
  readonly buffers: Buffer[] = [];
  readonly #graph: InferredGraph;
  readonly #kernels: readonly Kernel[];
  readonly #nodes: ReadonlyMap<string, InferredNode>;
  readonly #outputs: ReadonlySet<string>;
  readonly #lastUse = new Map<string, number>();
  readonly #holding = new Map<string, Buffer>();
  readonly #shapes = new Map<string, string>();
  /** The one that ended last comes first. */
  readonly #ended: Buffer[] = [];

  /** Values of which the runtime does not know all sizes. */
  readonly #open = new Set<string>();
  readonly #asFound: InferredGraph;

  constructor(graph: InferredGraph, kernels: readonly Kernel[], asFound: InferredGraph) {
    this.#graph = graph;
    this.#asFound = asFound;
    this.#kernels = kernels;
    this.#nodes = new Map(graph.nodes.map((inferred) => [inferred.node.name, inferred]));
    this.#outputs = new Set(graph.outputNames.flatMap((name) => [name, copyOf(name)]));
    kernels.forEach(({ values }, at) => {
      for (const name of [...(values?.writes ?? []), ...(values?.reads ?? [])]) this.#lastUse.set(name, at);
    });
    for (const at of kernels.keys()) this.#place(at);
  }

  #place(at: number): void {
    const { values, outputs } = this.#kernels[at]!;
    if (values === undefined) return;
    for (const [i, name] of values.writes.entries()) {
      if (this.#isOpen(this.#kernels[at]!, name)) this.#open.add(name);
      const { bytes, shape } = this.#form(name, outputs[i] ?? []);
      const until = this.#lastUse.get(name) ?? at;
      const isOutput = this.#outputs.has(name);
      const shared = isOutput ? undefined : this.#shared(at, i, name, shape);
      const buffer = shared ?? { bytes, from: at, until, isOutput, shape };
      if (shared === undefined) this.buffers.push(buffer);
      buffer.until = Math.max(buffer.until, until);
      this.#holding.set(name, buffer);
      this.#shapes.set(name, shape);
    }
    const used = new Set([...values.reads, ...values.writes].map((name) => this.#holding.get(name)));
    for (const buffer of used) if (buffer?.until === at && !buffer.isOutput) this.#ended.unshift(buffer);
  }

  /** Channels in blocks are rounded up, which the runtime does not follow but for convolutions. */
  #isOpen({ layout, operator, values }: Kernel, name: string): boolean {
    const type = this.#asFound.types.get(nameOf(name));
    const shape = type && isTensor(type) ? type.shape : undefined;
    if (!shape?.every((size) => isKnown(size) || namesIn(size).includes(`${size}`))) return true;
    if (operator === KERNEL_NAMES.intoBlocks) return true;
    const keeps = operator !== KERNEL_NAMES.blockedConv && operator !== KERNEL_NAMES.outOfBlocks;
    return layout === 'blocked' && keeps && values!.reads.some((read) => this.#open.has(read));
  }

  #shared(at: number, output: number, name: string, shape: string): Buffer | undefined {
    const operand = output === 0 ? this.#operand(at, this.#open.has(name) ? undefined : shape) : undefined;
    if (operand !== undefined) return operand;
    if (this.#open.has(name)) return undefined;
    const found = this.#ended.findIndex((buffer) => buffer.shape === shape);
    return found < 0 ? undefined : this.#ended.splice(found, 1)[0];
  }

  /** What the first output takes over: what it views, or an operand that ends with it. */
  #operand(at: number, shape: string | undefined): Buffer | undefined {
    const { values, nodes, operator } = this.#kernels[at]!;
    const reads = values!.reads;
    const { isView, convolution } = this.#nodes.get(nodes.at(0) ?? '')?.operator?.traits ?? {};
    if (isView) return this.#holding.get(reads[0] ?? '');
    const operands = WRITES_OVER.has(operator)
      ? reads.slice(0, 1)
      : convolution !== undefined
        ? reads.slice(1)
        : [];
    return operands
      .filter((name) => this.#shapes.get(name) === shape && !this.#open.has(name))
      .map((name) => this.#holding.get(name))
      .find((buffer) => buffer?.until === at && !buffer.isOutput);
  }

  #form(name: string, sizes: readonly number[]): { bytes: number; shape: string } {
    const type = this.#graph.types.get(nameOf(name));
    const dtype = type && isTensor(type) ? type.dtype : undefined;
    const elements = sizes.reduce((n, size) => n * size, 1);
    const bytes = dtype === undefined ? 0 : bytesFor(dtype, elements);
    return { bytes, shape: `${bytes} ${sizes.join('x')}` };
  }
}

/** Of the value that a name is a copy of. */
function nameOf(name: string): string {
  const suffix = copyOf('');
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}
