// The kernels of a graph that ONNX Runtime has optimised and written: what it really executes. `plan.ts` tells the same without
// the runtime.
import { isTensor } from '../../graph/types.js';
import type { Inference } from '../infer.js';
import type { Kernel, Sizes } from './kernel.js';

/** @param blockChannels channels of a block: the file does not tell how far channels are rounded up */
export function optimisedKernels({ graph }: Inference, blockChannels: number): Kernel[] {
  const found = new Map<string, Sizes>();
  const rounded = (channels: number): number => Math.ceil(channels / blockChannels) * blockChannels;
  const sizesOf = (name: string): Sizes | undefined => {
    const type = graph.types.get(name);
    const shape = type && isTensor(type) ? type.shape : undefined;
    return (
      found.get(name) ?? (shape?.every((size) => typeof size === 'number') ? (shape as Sizes) : undefined)
    );
  };
  return graph.nodes.flatMap(({ node, operator }): Kernel[] => {
    if (operator?.traits?.isConstant) return [];
    const names = node.inputs.filter((name) => name !== '');
    const x = sizesOf(names[0] ?? '');
    for (const name of node.outputs) {
      const type = graph.types.get(name);
      const shape = type && isTensor(type) ? type.shape : undefined;
      if (sizesOf(name) !== undefined || shape === undefined || x === undefined) continue;
      // Only channels are open: those behind a change of layout.
      const channels = operator?.traits?.moves === 'layout' ? rounded(x[1]!) : x[1]!;
      found.set(
        name,
        shape.map((size, axis) => (typeof size === 'number' ? size : axis === 1 ? channels : x[axis]!)),
      );
    }
    const layout = node.domain.endsWith('nchwc') ? 'blocked' : 'plain';
    return [
      {
        operator: node.opType,
        layout,
        inputs: names.flatMap((name) => [sizesOf(name) ?? []]),
        outputs: node.outputs.flatMap((name) => (name === '' ? [] : [sizesOf(name) ?? []])),
        nodes: [node.name],
      },
    ];
  });
}
