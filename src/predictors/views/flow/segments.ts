// What lies between the places where paths part or meet. A cell of any space is made of such segments (a convolution, a pool,
// a shortcut); what it learns depends on which of them read the cell's input and which read each other.
import type { Flow, FlowNode } from './flow.js';

const KERNELS = ['3', '5', '7'] as const;
/** What a segment does: its convolutions, one or more of them, by the widest; else its pool; else nothing. */
const CLASSES = [
  'shortcut',
  'pointwise',
  'maximumPool',
  'averagePool',
  ...KERNELS.flatMap((kernel) => [`kernel ${kernel}`, `kernels ${kernel}`]),
];
/** How many meetings are behind the start of a segment, since all paths of the cell last met; more count as the last. */
const LEVELS = 3;
const [KEPT, REDUCED] = ['kept', 'reduced'] as const;

/** Numbers of segments by class, by level, and by both; segments that make images smaller apart. */
export function segmentFeatures(flow: Flow): Record<string, number> {
  const found = emptyFeatures();
  const shares = flow.shares('even');
  const nodes = flow.nodes.map((node, i) => ({
    node,
    isUsed: shares[i]! > 0,
    // All paths go through it, or all that there were are side by side in it.
    isBoundary: node.kind === 'join' || shares[i]! > 1 - 1e-9,
    parents: usedParents(node, flow.nodes, shares),
    children: 0,
  }));
  for (const { isUsed, parents } of nodes) if (isUsed) for (const from of parents) nodes[from]!.children++;
  const isAnchor = (i: number): boolean => {
    const { node, isUsed, parents, children } = nodes[i]!;
    return isUsed && (parents.length > 1 || children > 1 || node.kind === 'input' || node.kind === 'output');
  };
  const levels = new Map<number, number>();
  for (const i of flow.order.filter(isAnchor)) {
    const { node, parents, isBoundary } = nodes[i]!;
    const isMeeting = parents.length > 1;
    let level = 0;
    for (const from of parents) {
      const passed = isMeeting ? [] : [node];
      let at = from;
      while (!isAnchor(at) && nodes[at]!.parents.length > 0) {
        passed.push(nodes[at]!.node);
        at = nodes[at]!.parents[0]!;
      }
      const start = levels.get(at);
      if (start === undefined) continue;
      level = Math.max(level, start + Number(isMeeting));
      for (const name of namesOf(passed, start)) found[name]!++;
    }
    levels.set(i, isBoundary ? 0 : level);
  }
  return found;
}

/** What data comes through; of a gate and what it scales, the image. */
function usedParents(
  { kind, parents }: FlowNode,
  nodes: readonly FlowNode[],
  shares: Float64Array,
): readonly number[] {
  const used = parents.filter((from) => shares[from]! > 0);
  if (kind !== 'product') return used;
  const most = Math.max(...used.map((from) => nodes[from]!.area));
  return used.filter((from) => nodes[from]!.area === most);
}

function namesOf(passed: readonly FlowNode[], start: number): string[] {
  const className = classOf(passed);
  const size = passed.some(({ isStrided }) => isStrided) ? REDUCED : KEPT;
  const level = Math.min(start, LEVELS - 1);
  return [className, levelName(size, level), bothName(className, size, level)];
}

function classOf(passed: readonly FlowNode[]): string {
  const windows = passed.filter(({ isConvolution, kernel }) => isConvolution && kernel > 1);
  if (windows.length > 0) {
    const widest = Math.max(...windows.map(({ kernel }) => kernel));
    const kernel = widest <= 3 ? '3' : widest <= 5 ? '5' : '7';
    return `${windows.length > 1 ? 'kernels' : 'kernel'} ${kernel}`;
  }
  const pool = passed.find(({ kind }) => kind === 'maximumPool' || kind === 'averagePool');
  return pool?.kind ?? (passed.some(({ isConvolution }) => isConvolution) ? 'pointwise' : 'shortcut');
}

function levelName(size: string, level: number): string {
  return `segments ${size} at ${level}`;
}

function bothName(className: string, size: string, level: number): string {
  return `${className} ${size} at ${level}`;
}

function emptyFeatures(): Record<string, number> {
  const sizes = [KEPT, REDUCED].flatMap((size) =>
    Array.from({ length: LEVELS }, (_, at) => [size, at] as const),
  );
  const names = [
    ...CLASSES,
    ...sizes.map(([size, at]) => levelName(size, at)),
    ...CLASSES.flatMap((name) => sizes.map(([size, at]) => bothName(name, size, at))),
  ];
  return Object.fromEntries(names.map((name) => [name, 0]));
}

/** In the order of the features. */
export const SEGMENT_FEATURES: readonly string[] = Object.keys(emptyFeatures());
