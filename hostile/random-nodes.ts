// Graphs drawn operator by operator from all that auspex knows: inputs, attributes and constants are of the
// kinds an operator takes (or nearly), with hostile values. Finds what no mutation of real models would.
import { type Model, makeGraph, makeModel, makeNode, type Node } from '../src/graph/graph.js';
import type { Tensor } from '../src/graph/tensor.js';
import { UNKNOWN, type ValueType } from '../src/graph/types.js';
import { allOperators } from '../src/ops/index.js';
import { schemaFor } from '../src/ops/schemas.js';
import type { Random } from '../src/util/random.js';
import { anyAttribute, anyAttributeType, anyTensor, anyType } from './values.js';

const OPSETS = [21, 21, 21, 23, 18, 17, 13, 11, 9, 7, 1];

/** The name of an operator as `allOperators` has it, split into its domain and type. */
function splitName(name: string): { domain: string; opType: string } {
  const dot = name.lastIndexOf('.');
  return { domain: dot < 0 ? '' : name.slice(0, dot), opType: name.slice(dot + 1) };
}

/** A model of `count` nodes, each free to read what the ones before it produce. */
export function randomModel(random: Random, count: number): Model {
  const opset = random.pick(OPSETS);
  const names = [...allOperators().keys()];
  const inputs: { name: string; type: ValueType }[] = [];
  const initializers = new Map<string, Tensor>();
  const produced: string[] = [];
  const value = (): string => {
    if (produced.length > 0 && random.chance(0.5)) return random.pick(produced);
    const name = `v${inputs.length + initializers.size}`;
    if (random.chance(0.45)) initializers.set(name, anyTensor(random, name));
    else inputs.push({ name, type: anyType(random) });
    return name;
  };
  const nodes = Array.from({ length: count }, (_, i): Node => {
    const node = randomNode(random, random.pick(names), opset, value, `n${i}`);
    produced.push(...node.outputs.filter((name) => name !== ''));
    return node;
  });
  return makeModel(
    makeGraph({
      nodes,
      inputs,
      outputs: nodes.flatMap((n) => n.outputs.slice(0, 1)).map((name) => ({ name, type: UNKNOWN })),
      initializers,
    }),
    {
      opsetImports: new Map([
        ['', opset],
        ['com.microsoft', 1],
        ['ai.onnx.ml', 3],
      ]),
    },
  );
}

function randomNode(random: Random, name: string, opset: number, value: () => string, label: string): Node {
  const { domain, opType } = splitName(name);
  const schema = schemaFor(domain, opType, domain === '' ? opset : 1) ?? schemaFor(domain, opType, 23);
  const [low, high] = schema?.inputs ?? [0, 3];
  const most = Math.min(high, low + 4);
  const inputCount = random.chance(0.9) ? random.between(low, most) : random.below(most + 3);
  const inputs = Array.from({ length: inputCount }, (_, i) =>
    i >= low && random.chance(0.2) ? '' : value(),
  );
  const outputCount = Math.min(
    schema?.outputs[1] ?? 1,
    Math.max(schema?.outputs[0] ?? 1, random.between(1, 3)),
  );
  const attributes = Object.fromEntries(
    Object.entries(schema?.attributes ?? {})
      .filter(([, attribute]) => attribute.required || random.chance(0.5))
      .map(([key, { type }]) => [
        key,
        anyAttribute(random, random.chance(0.95) ? type : anyAttributeType(random)),
      ]),
  );
  const outputs = Array.from({ length: outputCount }, (_, i) => `${label}_${i}`);
  return makeNode(opType, inputs, outputs, attributes, { domain, name: label });
}
