// The JSON document of `auspex inspect`. docs/json/inspect.md says what the fields mean; a change that could break a
// reader raises the version.
import { z } from 'zod';
import type { Block } from '../../analysis/blocks.js';
import type { Counts } from '../../analysis/cost.js';
import { type SortKey, sortByCount } from '../../analysis/inspect.js';
import { formatType, isTensor, type ValueType } from '../../graph/types.js';
import type { Inspected, SettledInspection } from '../inspect.js';
import { count, countOf, type JsonCount } from './count.js';

const counts = {
  parameters: count,
  weightBytes: count,
  macs: count,
  flops: count,
  activationBytes: count,
  memoryAccessBytes: count,
};

const value = z.object({
  name: z.string(),
  type: z.string(),
  dtype: z.string().nullable(),
  shape: z.array(count).nullable(),
});

type JsonCounts = Record<keyof typeof counts, JsonCount>;

interface JsonBlock extends JsonCounts {
  name: string;
  nodes: number;
  children: JsonBlock[];
}

const block: z.ZodType<JsonBlock> = z.lazy(() =>
  z.object({ name: z.string(), nodes: z.number(), ...counts, children: z.array(block) }),
);

export const inspectDocument = z.object({
  schema: z.literal('auspex.inspect/1'),
  file: z.string(),
  model: z.object({
    name: z.string(),
    producer: z.string(),
    irVersion: z.number(),
    opsets: z.record(z.string(), z.number()),
    metadata: z.record(z.string(), z.string()),
  }),
  inputs: z.array(value),
  outputs: z.array(value),
  totals: z.object({
    ...counts,
    peakActivationBytes: count.nullable(),
    arithmeticIntensity: z.number().nullable(),
  }),
  operators: z.record(z.string(), z.object({ nodes: z.number(), ...counts })),
  nodes: z.array(
    z.object({
      name: z.string(),
      operator: z.string(),
      outputs: z.array(value),
      ...counts,
      times: count,
      counted: z.boolean(),
      perIteration: z.boolean(),
      complete: z.boolean(),
    }),
  ),
  tree: block.optional(),
  /** The same at sizes that were chosen for those that the file leaves open. */
  chosenSizes: z
    .object({
      sizes: z.record(z.string(), z.number()),
      flags: z.string(),
      totals: z.object({ ...counts, peakActivationBytes: count.nullable() }),
    })
    .optional(),
  coverage: z.object({
    nodes: z.number(),
    understood: z.number(),
    unknownOperators: z.array(
      z.object({ operator: z.string(), count: z.number(), nodes: z.array(z.string()) }),
    ),
    incomplete: z.array(z.object({ node: z.string(), operator: z.string(), reason: z.string() })),
    perIteration: z.array(z.string()),
    symbols: z.array(z.object({ symbol: z.string(), inputs: z.array(z.string()) })),
    dataSizes: z.array(
      z.object({
        symbol: z.string(),
        value: z.string(),
        node: z.string(),
        operator: z.string(),
        isDeclared: z.boolean(),
      }),
    ),
  }),
  hash: z.string(),
});

export type InspectDocument = z.infer<typeof inspectDocument>;

function countsOf(of: Counts): JsonCounts {
  return {
    parameters: of.parameters,
    weightBytes: of.weightBytes,
    macs: countOf(of.macs),
    flops: countOf(of.flops),
    activationBytes: countOf(of.activationBytes),
    memoryAccessBytes: countOf(of.memoryAccessBytes),
  };
}

function typedValue(name: string, type: ValueType | undefined): z.infer<typeof value> {
  if (!isTensor(type)) return { name, type: formatType(type), dtype: null, shape: null };
  const shape = type.shape?.map(countOf) ?? null;
  return { name, type: formatType(type), dtype: type.dtype ?? null, shape };
}

function blockOf(of: Block): JsonBlock {
  return { name: of.name, nodes: of.nodes, ...countsOf(of), children: of.children.map(blockOf) };
}

function chosenSizesOf({ chosen, inspection }: SettledInspection): InspectDocument['chosenSizes'] {
  const { totals } = inspection.cost;
  const peak = totals.peakActivationBytes;
  return {
    sizes: chosen.sizes,
    flags: chosen.flags,
    totals: { ...countsOf(totals), peakActivationBytes: peak === undefined ? null : countOf(peak) },
  };
}

export interface InspectDocumentOptions {
  readonly file: string;
  readonly sort?: SortKey | undefined;
  readonly tree: boolean;
}

export function inspectDocumentOf(inspected: Inspected, options: InspectDocumentOptions): InspectDocument {
  const { model, inspection, settled } = inspected;
  const { cost, inference, coverage, hash, operators, tree } = inspection;
  const { graph } = inference;
  const nodes = options.sort ? sortByCount(cost.nodes, options.sort) : cost.nodes;
  const kinds = options.sort ? sortByCount(operators, options.sort) : operators;
  const peak = cost.totals.peakActivationBytes;
  return {
    schema: 'auspex.inspect/1',
    file: options.file,
    model: {
      name: model.graph.name,
      producer: [model.producerName, model.producerVersion].filter(Boolean).join(' '),
      irVersion: model.irVersion,
      opsets: Object.fromEntries([...model.opsetImports].map(([d, v]) => [d || 'ai.onnx', v])),
      metadata: Object.fromEntries(model.metadata),
    },
    inputs: graph.inputNames.map((name) => typedValue(name, graph.types.get(name))),
    outputs: graph.outputNames.map((name, i) => typedValue(name, graph.outputTypes[i])),
    totals: {
      ...countsOf(cost.totals),
      peakActivationBytes: peak === undefined ? null : countOf(peak),
      arithmeticIntensity: cost.totals.arithmeticIntensity ?? null,
    },
    operators: Object.fromEntries(
      kinds.map((kind) => [kind.operator, { nodes: kind.nodes, ...countsOf(kind) }]),
    ),
    nodes: nodes.map((node) => ({
      name: node.name,
      operator: node.operator,
      outputs: node.outputs.map((type, i) => typedValue(node.inferred.node.outputs[i] ?? '', type)),
      ...countsOf(node),
      times: countOf(node.times),
      counted: node.counted,
      perIteration: node.perIteration,
      complete: node.complete,
    })),
    ...(options.tree ? { tree: blockOf(tree) } : undefined),
    ...(settled ? { chosenSizes: chosenSizesOf(settled) } : undefined),
    coverage: {
      ...coverage,
      unknownOperators: coverage.unknownOperators.map((o) => ({ ...o, nodes: [...o.nodes] })),
      incomplete: [...coverage.incomplete],
      perIteration: [...coverage.perIteration],
      symbols: coverage.symbols.map((s) => ({ ...s, inputs: [...s.inputs] })),
      dataSizes: coverage.dataSizes.map((size) => ({ ...size })),
    },
    hash,
  };
}
