// The modules a network is made of, as the names of its nodes tell: `/layer1/layer1.0/conv1/Conv` is a Conv
// in layer1 / 0 / conv1.
import type { Counts, NodeCost } from './cost.js';
import { sumCounts } from './cost.js';

export interface Block extends Counts {
  readonly name: string;
  /** Nodes in it and below it. */
  readonly nodes: number;
  readonly children: readonly Block[];
}

/** Metadata in which PyTorch's exporter keeps the modules around a node, as a Python list of texts. */
const TORCH_SCOPES = 'pkg.torch.onnx.name_scopes';

/** Blocks inside blocks; what lies deeper is shown in the last one. */
const MAX_DEPTH = 32;

interface Draft {
  readonly name: string;
  readonly children: Map<string, Draft>;
  readonly own: NodeCost[];
}

/** The tree of blocks with the costs of all that is in each. The root stands for the network. */
export function blockTree(nodes: readonly NodeCost[], rootName: string): Block {
  const root: Draft = { name: rootName, children: new Map(), own: [] };
  for (const node of nodes) {
    if (!node.counted) continue;
    let at = root;
    for (const part of blockPath(node)) {
      let next = at.children.get(part);
      if (next === undefined) {
        next = { name: part, children: new Map(), own: [] };
        at.children.set(part, next);
      }
      at = next;
    }
    at.own.push(node);
  }
  return finish(root);
}

function finish(draft: Draft): Block {
  const children = [...draft.children.values()].map(finish);
  return {
    name: draft.name,
    ...sumCounts([...draft.own, ...children]),
    nodes: draft.own.length + children.reduce((n, c) => n + c.nodes, 0),
    children,
  };
}

/** The blocks around a node, outermost first. */
export function blockPath(cost: NodeCost): string[] {
  const scopes = cost.inferred.node.metadata?.get(TORCH_SCOPES);
  const parts = scopes ? torchScopes(scopes) : cost.name.split('/').slice(0, -1);
  const path: string[] = [];
  let parent = '';
  for (const part of parts.filter((p) => p !== '').slice(0, MAX_DEPTH)) {
    // Exporters repeat the parent in the name of the child: layer1.0 in layer1.
    path.push(parent !== '' && part.startsWith(`${parent}.`) ? part.slice(parent.length + 1) : part);
    parent = part;
  }
  return path;
}

/** `['', 'layer1', 'layer1.0', 'conv2d']`: modules, then the operation itself. */
function torchScopes(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|"([^"]*)"/g)].map((m) => m[1] ?? m[2] ?? '').slice(0, -1);
}
