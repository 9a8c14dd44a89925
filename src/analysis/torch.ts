// What PyTorch's exporter (torch.export) writes into a file about its parameters: which names are parameters
// of the program, and from which of them a folded constant was computed.
import type { Graph } from '../graph/graph.js';

export interface TorchSignature {
  /** Names of the program's parameters. */
  readonly parameters: ReadonlySet<string>;
  /** Whether a constant was computed from parameters that are not in the file themselves. */
  isFoldedParameter(name: string): boolean;
  /** Whether a constant is what is left of a batch normalisation that was merged into the layer before it. */
  isMergedBias(name: string): boolean;
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
  const folded = new Map<string, readonly string[]>();
  const claimed = new Set<string>();
  for (const info of graph.valueInfo.values()) {
    const from = info.metadata?.get(FOLDED_FROM);
    if (from === undefined || !graph.initializers.has(info.name)) continue;
    const sources = [...from.matchAll(/'([^']+)'/g)].map((m) => m[1]!);
    folded.set(
      info.name,
      sources.filter((s) => parameters.has(s) && !graph.initializers.has(s)),
    );
  }
  // A parameter that went into several constants (a layer that is used twice) counts with the first.
  const own = new Set<string>();
  for (const [name, sources] of [...folded].sort(([, a], [, b]) => a.length - b.length)) {
    const fresh = sources.filter((s) => !claimed.has(s));
    if (fresh.length > 0) own.add(name);
    for (const s of fresh) claimed.add(s);
  }
  return {
    parameters,
    isFoldedParameter: (name) => own.has(name),
    // The exporter names it after the weight, into which the normalisation's scale went.
    isMergedBias: (name) => name.endsWith(MERGED_BIAS) && parameters.has(name.slice(0, -MERGED_BIAS.length)),
  };
}
