// Graphs drawn operator by operator from all that auspex knows: inputs, attributes and constants are of the
// kinds an operator takes (or nearly), with hostile values. Finds what no mutation of real models would.
import { inferShapes } from '../../src/analysis/infer.js';
import {
  type Model,
  makeGraph,
  makeModel,
  makeNode,
  type Node,
  type ValueInfo,
} from '../../src/graph/graph.js';
import type { Tensor } from '../../src/graph/tensor.js';
import { UNKNOWN } from '../../src/graph/types.js';
import { allOperators } from '../../src/ops/index.js';
import { schemaFor } from '../../src/ops/schemas.js';
import { AuspexError } from '../../src/util/errors.js';
import type { Random } from '../../src/util/random.js';
import { anyAttribute, anyAttributeType, anyTensor, anyType } from './values.js';

const OPSETS = [21, 21, 21, 23, 18, 17, 13, 11, 9, 7, 1];

/** A graph in the making. Parts are only ever added. */
interface Draft {
  readonly opset: number;
  readonly nodes: readonly Node[];
  readonly inputs: readonly ValueInfo[];
  readonly initializers: ReadonlyMap<string, Tensor>;
}

/** A model of one node, as hostile as can be. */
export function randomNode(random: Random): Model {
  return finished(withNode(emptyDraft(random), random));
}

/** How often another node is drawn for one that does not fit the graph. */
const ATTEMPTS = 5;

/**
 * A model of up to `count` nodes that work on each other's outputs. Nodes that inference refuses are drawn
 * again, or most graphs would fail at their first node; the last one is taken as it comes.
 */
export function randomGraph(random: Random, count: number): Model {
  let draft = emptyDraft(random);
  for (let i = 1; i < count; i++) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const longer = withNode(draft, random);
      const verdict = judge(longer);
      if (verdict === 'defect') return finished(longer);
      if (verdict === 'fits') {
        draft = longer;
        break;
      }
    }
  }
  return finished(withNode(draft, random));
}

function judge(draft: Draft): 'fits' | 'refused' | 'defect' {
  try {
    inferShapes(finished(draft));
    return 'fits';
  } catch (error) {
    return error instanceof AuspexError ? 'refused' : 'defect';
  }
}

function emptyDraft(random: Random): Draft {
  return { opset: random.pick(OPSETS), nodes: [], inputs: [], initializers: new Map() };
}

function finished({ opset, nodes, inputs, initializers }: Draft): Model {
  const outputs = nodes.flatMap((n) => n.outputs.slice(0, 1)).map((name) => ({ name, type: UNKNOWN }));
  return makeModel(makeGraph({ nodes, inputs, outputs, initializers }), {
    opsetImports: new Map([
      ['', opset],
      ['com.microsoft', 1],
      ['ai.onnx.ml', 3],
    ]),
  });
}

function withNode(draft: Draft, random: Random): Draft {
  const inputs = [...draft.inputs];
  const initializers = new Map(draft.initializers);
  const produced = draft.nodes.flatMap((node) => node.outputs);
  const value = (): string => {
    if (produced.length > 0 && random.chance(0.6)) return random.pick(produced);
    if (inputs.length > 0 && random.chance(0.3)) return random.pick(inputs).name;
    const name = `v${inputs.length + initializers.size}`;
    if (random.chance(0.45)) initializers.set(name, anyTensor(random, name));
    else inputs.push({ name, type: anyType(random) });
    return name;
  };
  const operator = random.pick([...allOperators().keys()]);
  const node = drawNode(random, operator, draft.opset, value, `n${draft.nodes.length}`);
  return { ...draft, nodes: [...draft.nodes, node], inputs, initializers };
}

function drawNode(random: Random, name: string, opset: number, value: () => string, label: string): Node {
  const dot = name.lastIndexOf('.');
  const [domain, opType] = [dot < 0 ? '' : name.slice(0, dot), name.slice(dot + 1)];
  const schema = schemaFor(domain, opType, domain === '' ? opset : 1) ?? schemaFor(domain, opType, 23);
  const [low, high] = schema?.inputs ?? [0, 3];
  const most = Math.min(high, low + 4);
  const inputCount = random.chance(0.9) ? random.between(low, most) : random.below(most + 3);
  const inputs = Array.from({ length: inputCount }, (_, i) =>
    i >= low && random.chance(0.2) ? '' : value(),
  );
  const [fewest, mostOutputs] = schema?.outputs ?? [1, 1];
  const outputCount = Math.min(mostOutputs, Math.max(fewest, random.between(1, 3)));
  const attributes = Object.fromEntries(
    Object.entries(schema?.attributes ?? {})
      .filter(([, attribute]) => attribute.required || random.chance(0.4))
      .map(([key, { type }]) => [
        key,
        anyAttribute(random, random.chance(0.97) ? type : anyAttributeType(random)),
      ]),
  );
  const outputs = Array.from({ length: outputCount }, (_, i) => `${label}_${i}`);
  return makeNode(opType, inputs, outputs, attributes, { domain, name: label });
}
