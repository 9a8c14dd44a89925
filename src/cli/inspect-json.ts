// The machine-readable form of an inspection. Its schema is docs/inspect-json.md; a change that could break a
// reader raises the version.
import type { Block } from '../analysis/blocks.js';
import type { Counts } from '../analysis/cost.js';
import { type Inspection, type SortKey, sortByCount } from '../analysis/inspect.js';
import type { Dim } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import { formatType, isTensor, type ValueType } from '../graph/types.js';

export const INSPECT_SCHEMA = 'auspex.inspect/1';

/** A count: a number, or an expression in the sizes that are not fixed. */
type JsonCount = number | string;

function count(value: Dim): JsonCount;
function count(value: Dim | undefined): JsonCount | null;
function count(value: Dim | undefined): JsonCount | null {
  return value === undefined ? null : typeof value === 'number' ? value : value.toString();
}

function counts(of: Counts): Record<keyof Counts, JsonCount> {
  return {
    parameters: of.parameters,
    weightBytes: of.weightBytes,
    macs: count(of.macs),
    flops: count(of.flops),
    activationBytes: count(of.activationBytes),
    memoryAccessBytes: count(of.memoryAccessBytes),
  };
}

function value(name: string, type: ValueType | undefined): object {
  return isTensor(type)
    ? {
        name,
        type: formatType(type),
        dtype: type.dtype ?? null,
        shape: type.shape?.map((d) => count(d)) ?? null,
      }
    : { name, type: formatType(type), dtype: null, shape: null };
}

function block(of: Block): object {
  return { name: of.name, nodes: of.nodes, ...counts(of), children: of.children.map(block) };
}

export interface JsonOptions {
  readonly file: string;
  readonly sort?: SortKey | undefined;
  readonly tree: boolean;
}

export function inspectionJson(model: Model, inspection: Inspection, options: JsonOptions): object {
  const { cost, inference, coverage, hash, operators, tree } = inspection;
  const { graph } = inference;
  const nodes = options.sort ? sortByCount(cost.nodes, options.sort) : cost.nodes;
  const kinds = options.sort ? sortByCount(operators, options.sort) : operators;
  return {
    schema: INSPECT_SCHEMA,
    file: options.file,
    model: {
      name: model.graph.name,
      producer: [model.producerName, model.producerVersion].filter(Boolean).join(' '),
      irVersion: model.irVersion,
      opsets: Object.fromEntries([...model.opsetImports].map(([d, v]) => [d || 'ai.onnx', v])),
      metadata: Object.fromEntries(model.metadata),
    },
    inputs: graph.inputNames.map((name) => value(name, graph.types.get(name))),
    outputs: graph.outputNames.map((name, i) => value(name, graph.outputTypes[i])),
    totals: {
      ...counts(cost.totals),
      peakActivationBytes: count(cost.totals.peakActivationBytes),
      arithmeticIntensity: cost.totals.arithmeticIntensity ?? null,
    },
    operators: Object.fromEntries(
      kinds.map((kind) => [kind.operator, { nodes: kind.nodes, ...counts(kind) }]),
    ),
    nodes: nodes.map((node) => ({
      name: node.name,
      operator: node.operator,
      outputs: node.outputs.map((type, i) => value(node.inferred.node.outputs[i] ?? '', type)),
      ...counts(node),
      times: count(node.times),
      counted: node.counted,
      perIteration: node.perIteration,
      complete: node.complete,
    })),
    ...(options.tree ? { tree: block(tree) } : undefined),
    coverage,
    hash,
  };
}
