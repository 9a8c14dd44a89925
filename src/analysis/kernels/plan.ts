// The kernels that ONNX Runtime runs for a network on a CPU, told without running it: its rules of fusing and of putting channels
// into blocks, as far as they decide what is executed. `kernels.test.ts` compares them with the graph that the runtime writes.
import { nodeLabel } from '../../graph/graph.js';
import { INLINED, isFusedActivation, KERNEL_NAMES, keepsBlocks } from '../../ops/microsoft/fusions.js';
import type { Inference, InferredGraph } from '../infer.js';
import { ChannelsLast } from './channels-last.js';
import { copyOf, type Kernel, type KernelValues, type Layout, type Sizes } from './kernel.js';
import { type Step, Steps } from './steps.js';

export interface PlanOptions {
  /** Channels of a block, as wide as the registers of the processor: 16, 8; 0 where the runtime uses no blocks. */
  readonly blockChannels: number;
}

/** What a network runs, and what of it has sizes that are not known. */
export interface KernelPlan {
  readonly kernels: readonly Kernel[];
  /** Operators of nodes whose kernels could not be told. */
  readonly unknown: readonly string[];
}

/** Channels of images that are put into blocks are a multiple of this. */
const ALIGNMENT = 4;

export function planKernels({ graph }: Inference, options: PlanOptions): KernelPlan {
  const planner = new Planner(options);
  planner.graph(graph, new Set());
  return { kernels: planner.kernels, unknown: [...planner.unknown] };
}

/** A step with the layout of what it gives. */
interface Placed {
  readonly step: Step;
  readonly layout: Layout;
  isFused: boolean;
  hasSum: boolean;
  /** Values that are read. A sum that is computed with it is one of them. */
  inputs: readonly string[];
}

class Planner {
  readonly kernels: Kernel[] = [];
  readonly unknown = new Set<string>();
  readonly #block: number;

  constructor({ blockChannels }: PlanOptions) {
    this.#block = blockChannels;
  }

  graph(graph: InferredGraph, constants: ReadonlySet<string>): void {
    const steps = new Steps(graph, constants);
    const placed = this.#placed(steps);
    this.#fusePlain(steps, placed);
    const blocked = new Set(placed.flatMap(({ step, layout }) => (layout === 'blocked' ? step.outputs : [])));
    const copies = new Set<string>();
    const channelsLast = new ChannelsLast(steps);
    for (const one of placed) {
      const reads = one.inputs.filter((name) => !steps.isConstant(name));
      const moved = channelsLast.movedBy(one.step, reads);
      const found = reads.map((name) => {
        if (moved.has(name)) {
          if (!copies.has(name)) this.#transpose(name, steps);
          copies.add(name);
          return copyOf(name);
        }
        const wanted: Layout =
          one.layout === 'blocked' && !this.#takesPlain(one, name, steps) ? 'blocked' : 'plain';
        if (wanted === (blocked.has(name) ? 'blocked' : 'plain')) return name;
        if (!copies.has(name)) this.#reorder(name, wanted, steps);
        copies.add(name);
        return copyOf(name);
      });
      this.#write(one, { reads: found, writes: one.step.outputs }, steps);
    }
    for (const name of graph.outputNames) {
      if (copies.has(name)) continue;
      if (blocked.has(name)) this.#reorder(name, 'plain', steps);
      else if (channelsLast.has(name)) this.#transpose(name, steps);
    }
  }

  /** The steps in order, those whose images are in blocks marked, with activations and sums fused into their convolutions. */
  #placed(steps: Steps): Placed[] {
    const placed = new Map<Step, Placed>();
    const blockedBy = (name: string): Placed | undefined => {
      const by = steps.producers.get(name);
      const one = by && placed.get(by);
      return one?.layout === 'blocked' ? one : undefined;
    };
    for (const step of [...steps.list]) {
      const { traits } = step.main.operator ?? {};
      const producer = blockedBy(step.inputs[0] ?? '');
      const isOnly = steps.onlyReader(step.inputs[0] ?? '') === step;
      const convBefore = producer && isConvolution(producer.step) ? producer : undefined;
      if (isOnly && convBefore && !convBefore.isFused && isFusedActivation(step.operator, 'blocked')) {
        convBefore.isFused = true;
        steps.merge(step, convBefore.step);
        continue;
      }
      if (traits?.arithmetic === 'add' && this.#takesSum(step, steps, blockedBy)) continue;
      const layout = this.#isBlocked(step, steps, blockedBy) ? 'blocked' : 'plain';
      placed.set(step, { step, layout, isFused: false, hasSum: false, inputs: step.inputs });
    }
    return steps.list.flatMap((step) => placed.get(step) ?? []);
  }

  /** Whether a sum of two images in blocks is computed by one of their convolutions. */
  #takesSum(step: Step, steps: Steps, blockedBy: (name: string) => Placed | undefined): boolean {
    const operands = step.inputs.map(blockedBy);
    if (operands.length !== 2 || operands.includes(undefined)) return false;
    if (!sameSizes(steps, step.inputs)) return false;
    for (const i of [0, 1]) {
      const conv = operands[i]!;
      const isFree = isConvolution(conv.step) && !conv.isFused && !conv.hasSum;
      if (!isFree || steps.onlyReader(step.inputs[i]!) !== step) continue;
      const other = step.inputs[1 - i]!;
      conv.hasSum = true;
      conv.inputs = [...conv.inputs, other];
      steps.merge(step, conv.step);
      const readers = steps.readers.get(other) ?? [];
      steps.readers.set(other, [...readers, conv.step]);
      return true;
    }
    return false;
  }

  #isBlocked(step: Step, steps: Steps, blockedBy: (name: string) => Placed | undefined): boolean {
    if (this.#block === 0 || step.isOfIntegers) return false;
    const { traits } = step.main.operator ?? {};
    if (traits?.convolution !== undefined) return this.#isBlockedConv(step, steps);
    const data = step.inputs.filter((name) => !steps.isConstant(name));
    if (traits?.pooling !== undefined) {
      const sizes = steps.sizes(data[0]!);
      return sizes?.length === 4 && sizes[1]! % this.#block === 0 && step.outputs.length === 1;
    }
    if (data.length === 0 || !data.every((name) => blockedBy(name) !== undefined)) return false;
    if (traits?.moves === 'join') {
      return data.every((name) => (steps.sizes(name)?.[1] ?? 1) % this.#block === 0) && isOfChannels(step);
    }
    if (traits?.normalisation === 'batch') return data.length === 1;
    if (data.length === 1) return step.inputs.length === 1 && keepsBlocks(step.operator);
    const isSum = traits?.arithmetic === 'add' || traits?.arithmetic === 'multiply';
    return isSum && sameSizes(steps, data);
  }

  #isBlockedConv({ main, inputs }: Step, steps: Steps): boolean {
    const weights = steps.sizes(inputs[1] ?? '');
    if (weights?.length !== 4 || main.operator?.traits?.convolution !== 'plain') return false;
    if (!inputs.slice(1).every((name) => steps.isConstant(name))) return false;
    if (main.call.dtype(0) !== 'float32') return false;
    const [out, perGroup] = weights as [number, number];
    const groups = main.call.int('group', 1);
    if (groups === 1) return perGroup < this.#block || perGroup % ALIGNMENT === 0;
    if (out % ALIGNMENT !== 0) return false;
    if (perGroup === 1 && out === groups) return true;
    return perGroup % this.#block === 0 && (out / groups) % this.#block === 0;
  }

  /** Activations, and a sum, after convolutions and matrix products that are left as they are. */
  #fusePlain(steps: Steps, placed: Placed[]): void {
    for (const one of [...placed]) {
      if (one.layout === 'blocked' || one.step.isOfIntegers || !placed.includes(one)) continue;
      const { convolution, product } = one.step.main.operator?.traits ?? {};
      if (convolution !== 'plain' && product === undefined) continue;
      const next = (): Placed | undefined => {
        const reader = steps.onlyReader(one.step.outputs[0]!);
        return reader && placed.find(({ step, layout }) => step === reader && layout === 'plain');
      };
      const take = (other: Placed): void => {
        steps.merge(other.step, one.step);
        placed.splice(placed.indexOf(other), 1);
      };
      const after = next();
      if (convolution !== undefined && after?.step.main.operator?.traits?.arithmetic === 'add') {
        const other = after.inputs.find((name) => name !== one.step.outputs[0]);
        if (other !== undefined && !steps.isConstant(other) && sameSizes(steps, after.inputs)) {
          take(after);
          one.hasSum = true;
          one.inputs = [...one.inputs, other];
        }
      } else if (product === 'matmul' && after?.step.main.operator?.traits?.arithmetic === 'add') {
        const bias = after.inputs.find((name) => name !== one.step.outputs[0])!;
        const isBias = steps.isConstant(bias) && steps.sizes(bias)?.length === 1;
        if (isBias && steps.isConstant(one.inputs[1]!)) {
          take(after);
          one.inputs = [...one.inputs, bias];
        }
      }
      const last = next();
      const into = convolution === undefined ? 'product' : 'plain';
      const isFusing = convolution !== undefined || product === 'gemm' || one.inputs.length > 2;
      if (
        isFusing &&
        last &&
        isFusedActivation(last.step.operator, into) &&
        last.step.inputs[0] === one.step.outputs[0]
      ) {
        take(last);
        one.isFused = true;
      }
    }
  }

  /** A convolution of few channels reads the image as it is. */
  #takesPlain({ step }: Placed, name: string, steps: Steps): boolean {
    const { traits } = step.main.operator ?? {};
    if (traits?.convolution === undefined || step.inputs[0] !== name) return false;
    return (steps.sizes(step.inputs[1]!)?.[1] ?? 0) < this.#block && step.main.call.int('group', 1) === 1;
  }

  #reorder(name: string, wanted: Layout, steps: Steps): void {
    const plain = steps.sizes(name);
    if (plain === undefined) return;
    const blocks = this.#inBlocks(plain);
    const isInto = wanted === 'blocked';
    this.kernels.push({
      operator: isInto ? KERNEL_NAMES.intoBlocks : KERNEL_NAMES.outOfBlocks,
      layout: 'blocked',
      inputs: [isInto ? plain : blocks],
      outputs: [isInto ? blocks : plain],
      nodes: [],
      values: { reads: [name], writes: [copyOf(name)] },
    });
  }

  /** Integer convolutions read and write images with channels last. */
  #transpose(name: string, steps: Steps): void {
    const sizes = steps.sizes(name);
    if (sizes === undefined) return;
    const values = { reads: [name], writes: [copyOf(name)] };
    this.kernels.push({
      operator: KERNEL_NAMES.transpose,
      layout: 'plain',
      inputs: [sizes],
      outputs: [sizes],
      nodes: [],
      values,
    });
  }

  #inBlocks(sizes: Sizes): Sizes {
    return sizes.length < 2 ? sizes : sizes.with(1, this.#rounded(sizes[1]!));
  }

  #rounded(channels: number): number {
    return Math.ceil(channels / this.#block) * this.#block;
  }

  #write(one: Placed, values: KernelValues, steps: Steps): void {
    const { step, layout } = one;
    const { main } = step;
    if (main.call.bodies.length > 0) return this.#bodies(step, steps);
    const nodes = step.from.map(({ node }) => nodeLabel(node));
    const sizesOf = (name: string): Sizes | undefined => {
      const sizes = steps.sizes(name);
      if (sizes === undefined || layout === 'plain' || steps.isConstant(name)) return sizes;
      return this.#takesPlain(one, name, steps) ? sizes : this.#inBlocks(sizes);
    };
    const inputs = one.inputs.filter((name) => name !== '').map(sizesOf);
    const outputs = step.outputs.map(sizesOf);
    if (inputs.includes(undefined) || outputs.includes(undefined)) {
      this.unknown.add(step.operator);
      return;
    }
    const known = { layout, inputs: inputs as Sizes[], outputs: outputs as Sizes[], nodes, values };
    if (step.isOfIntegers) {
      this.kernels.push({ operator: step.operator, ...known });
      return;
    }
    const { convolution, product } = main.operator?.traits ?? {};
    if (layout === 'blocked' && convolution === undefined && isConvolution(step)) {
      // A normalisation of its own is a convolution of each channel with one number.
      const [x, channels] = known.inputs as [Sizes, Sizes];
      const weights = [this.#rounded(channels[0]!), 1, 1, 1];
      this.kernels.push({
        ...known,
        operator: KERNEL_NAMES.blockedConv,
        inputs: [x, weights, weights.slice(0, 1)],
      });
      return;
    }
    const hasBias = step.inputs.filter((name) => name !== '').length > 2;
    if (convolution !== undefined && !hasBias && (one.hasSum || isShifted(step))) {
      known.inputs.splice(2, 0, known.outputs[0]!.slice(1, 2));
    }
    if (convolution === 'plain' && layout === 'blocked') {
      known.inputs[1] = this.#blockedWeights(known.inputs[1]!, main.call.int('group', 1));
      this.kernels.push({ operator: KERNEL_NAMES.blockedConv, ...known });
    } else if (convolution === 'plain' && (one.isFused || one.hasSum)) {
      this.kernels.push({ operator: KERNEL_NAMES.fusedConv, ...known });
    } else if (product !== undefined && one.isFused) {
      this.kernels.push({ operator: KERNEL_NAMES.fusedGemm, ...known });
    } else if (product === 'matmul' && one.inputs.length > 2) {
      this.kernels.push({ operator: KERNEL_NAMES.gemm, ...known });
    } else {
      for (const operator of INLINED.get(step.operator) ?? [step.operator])
        this.kernels.push({ operator, ...known });
    }
  }

  #blockedWeights(weights: Sizes, groups: number): Sizes {
    const [out, perGroup, ...window] = weights as [number, number, ...number[]];
    const isWhole = groups > 1 || perGroup < this.#block;
    return [this.#rounded(out), isWhole ? perGroup : this.#rounded(perGroup), ...window];
  }

  /** A function runs once, a loop as often as it is known to, and of branches the one with most kernels. */
  #bodies({ main }: Step, steps: Steps): void {
    const runs = main.call.bodies.map(({ graph, times, alternative }) => {
      const inner = new Planner({ blockChannels: this.#block });
      inner.graph(graph as InferredGraph, steps.constants);
      return { inner, times: typeof times === 'number' ? times : 1, alternative };
    });
    const most = Math.max(
      ...runs.filter((run) => run.alternative).map(({ inner }) => inner.kernels.length),
      0,
    );
    let isTaken = false;
    for (const { inner, times, alternative } of runs) {
      if (alternative && (isTaken || inner.kernels.length < most)) continue;
      isTaken ||= alternative;
      for (let i = 0; i < Math.min(times, MOST_RUNS); i++) this.kernels.push(...inner.kernels);
      for (const operator of inner.unknown) this.unknown.add(operator);
    }
  }
}

/** Of the body of a loop; more are not told apart from endless. */
const MOST_RUNS = 1000;

function sameSizes(steps: Steps, names: readonly string[]): boolean {
  const [first, ...others] = names.map((name) => steps.sizes(name)?.join());
  return first !== undefined && others.every((sizes) => sizes === first);
}

/** Whether a step with images in blocks is a convolution. */
function isConvolution({ main }: Step): boolean {
  const { convolution, normalisation } = main.operator?.traits ?? {};
  return convolution !== undefined || normalisation === 'batch';
}

/** Whether a normalisation was folded into a convolution: its shift becomes a bias. */
function isShifted({ from, main }: Step): boolean {
  return from.some((inferred) => inferred !== main && inferred.operator?.traits?.normalisation === 'batch');
}

function isOfChannels({ main }: Step): boolean {
  return main.call.int('axis', 1) === 1;
}
