// What PyTorch's exporter (torch.export) writes into a file about its parameters: which names are parameters
// of the program, and from which of them a folded constant was computed.
import type { Graph } from '../graph/graph.js';
import { elementCount } from '../graph/tensor.js';

export interface TorchSignature {
  /** Names of the program's parameters. */
  readonly parameters: ReadonlySet<string>;
  /** A `parameter`, also one that only a folded constant holds; `tied`: a parameter once more, in another layout. */
  kindOf(name: string): 'parameter' | 'tied' | undefined;
}

const SIGNATURE = 'pkg.torch.export.ExportedProgram.graph_signature';
const MERGED_BIAS = '_bias';
const FOLDED_FROM = 'pkg.onnxscript.optimizer.folded_from';

/** The signature of the exported program, or undefined for files that have none. */
export function torchSignature(graph: Graph): TorchSignature | undefined {
  const text = graph.metadata?.get(SIGNATURE);
  if (text === undefined) return undefined;
  const parameters = new Set([...text.matchAll(/: PARAMETER target='([^'\n]+)'/g)].map((m) => m[1]!));
  if (parameters.size === 0) return undefined;
  const { initializers } = graph;
  const folded = new Map<string, readonly string[]>();
  for (const info of graph.valueInfo.values()) {
    const from = info.metadata?.get(FOLDED_FROM);
    if (from === undefined || !initializers.has(info.name)) continue;
    const sources = [...from.matchAll(/'([^']+)'/g)].map((m) => m[1]!);
    folded.set(
      info.name,
      sources.filter((source) => parameters.has(source)),
    );
  }
  // A parameter that went into several constants (a layer that is used twice) counts with the first, and with none if it
  // is in the file itself.
  const own = new Set<string>();
  const holders = new Map(
    [...parameters].filter((name) => initializers.has(name)).map((name) => [name, name]),
  );
  for (const [name, sources] of [...folded].sort(([, a], [, b]) => a.length - b.length)) {
    const fresh = sources.filter((source) => !holders.has(source));
    if (fresh.length > 0) own.add(name);
    for (const source of fresh) holders.set(source, name);
  }
  const sizeOf = (name: string): number => elementCount(initializers.get(name)!);
  const isCopy = (name: string): boolean => {
    const [source, ...more] = folded.get(name) ?? [];
    const holder = source === undefined ? undefined : holders.get(source);
    return holder !== undefined && more.length === 0 && sizeOf(holder) === sizeOf(name);
  };
  // What is left of a batch normalisation whose scale went into the weight before it has that weight's name.
  const isMergedBias = (name: string): boolean =>
    name.endsWith(MERGED_BIAS) && parameters.has(name.slice(0, -MERGED_BIAS.length));
  return {
    parameters,
    kindOf: (name) =>
      parameters.has(name) || own.has(name) || isMergedBias(name)
        ? 'parameter'
        : isCopy(name)
          ? 'tied'
          : undefined,
  };
}
