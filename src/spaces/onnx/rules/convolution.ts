// One convolution with another kernel or other groups, for the same sizes.
import { kaimingNormal } from '../../../nn/initialise.js';
import { plainConv, withAttributes } from './layers.js';
import type { Part, Rule } from './rule.js';

const KERNELS = [1, 3, 5, 7] as const;
const GROUPS = [2, 4, 8] as const;

const single = (part: Part): ReturnType<typeof plainConv> =>
  part.nodes.length === 1 ? plainConv(part.nodes[0]!, part) : undefined;

export const kernel: Rule = {
  name: 'kernel',
  summary: 'changes the kernel of a convolution, with the padding that keeps the sizes',
  keepsPart: true,
  notation: KERNELS.map((side) => `kernel${side}`),
  options: (part) => {
    const conv = single(part);
    if (conv === undefined || new Set(conv.kernel).size !== 1 || conv.kernel[0]! % 2 === 0) return [];
    return KERNELS.filter((side) => side !== conv.kernel[0] && paddedFor(conv, side) !== undefined).map(
      (side) => `kernel${side}`,
    );
  },
  write: (part, option, writer) => {
    const conv = single(part)!;
    const side = Number(option.slice('kernel'.length));
    const sides = conv.kernel.map(() => side);
    const weight = writer.weight([conv.dims[0]!, conv.dims[1]!, ...sides]);
    const pads = paddedFor(conv, side)!;
    const attributes = withAttributes(conv.node, {
      kernel_shape: { type: 'ints', value: sides },
      ...(pads.length > 0 ? { pads: { type: 'ints' as const, value: pads } } : {}),
    });
    return writer.copy(conv.node, [writer.input.name, weight.name, ...conv.node.inputs.slice(2)], attributes);
  },
};

/** The padding with which another kernel gives the same sizes; empty where the operator finds it itself. */
function paddedFor(
  { kernel: sides, pads, dilations }: NonNullable<ReturnType<typeof plainConv>>,
  side: number,
): number[] | undefined {
  if (pads === undefined) return [];
  const found = pads.map((pad, i) => pad + ((side - sides[0]!) / 2) * dilations[i % sides.length]!);
  return found.every((pad) => pad >= 0) ? found : undefined;
}

export const groups: Rule = {
  name: 'groups',
  summary: 'splits the channels of a convolution into groups',
  keepsPart: true,
  notation: GROUPS.map((count) => `groups${count}`),
  options: (part) => {
    const conv = single(part);
    if (conv === undefined || conv.groups !== 1) return [];
    const [out, inside] = conv.dims as [number, number];
    return GROUPS.filter((count) => out % count === 0 && inside % count === 0 && inside > count).map(
      (count) => `groups${count}`,
    );
  },
  write: (part, option, writer) => {
    const { node, dims } = single(part)!;
    const count = Number(option.slice('groups'.length));
    const weight = writer.weight(dims.with(1, dims[1]! / count), kaimingNormal());
    const attributes = withAttributes(node, { group: { type: 'int', value: count } });
    return writer.copy(node, [writer.input.name, weight.name, ...node.inputs.slice(2)], attributes);
  },
};
