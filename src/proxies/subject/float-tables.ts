// Quantised tables that tokens are looked up in, as tables of floats: exporters read integers and scale what was read, which
// hides that an input is looked up. Scaling the table and then reading it gives the same numbers.
import { isInteger } from '../../graph/dtype.js';
import { type Model, type Node, nodeLabel, operatorName } from '../../graph/graph.js';
import { elementCount } from '../../graph/tensor.js';
import { traitsOf } from '../../ops/index.js';
import type { Change, Transformed } from '../../transform/transform.js';
import { linksOf } from './value-links.js';

/** Elements of a table; a larger one stays as it is, as floats take four times its bytes. */
const MOST_ELEMENTS = 2 ** 27;

/** The model with rows read from what a table stands for, where one scale holds for all of it. */
export function withFloatTables(model: Model): Transformed {
  const { graph } = model;
  const links = linksOf(model);
  const changes: Change[] = [];
  const dropped = new Set<Node>();
  const nodes = graph.nodes.flatMap((node): Node[] => {
    if (traitsOf(node).moves !== 'quantisation') return [node];
    const [rows = '', ...scales] = node.inputs;
    const read = links.nodes[links.producers.get(rows) ?? -1];
    const isOnly = links.readersOf(rows).length === 1 && !graph.outputs.some(({ name }) => name === rows);
    if (read === undefined || traitsOf(read).moves !== 'rows' || !isOnly) return [node];
    const table = graph.initializers.get(read.inputs[0]!);
    const isSingle = scales.every(
      (name) => name === '' || elementCount(graph.initializers.get(name) ?? NONE) === 1,
    );
    if (table === undefined || !isInteger(table.dtype) || !isSingle) return [node];
    if (elementCount(table) > MOST_ELEMENTS) return [node];
    dropped.add(read);
    changes.push({
      transform: 'float',
      what: `table '${table.name}' is read as floats`,
      node: nodeLabel(read),
      operator: operatorName(read),
    });
    const floats = `${node.outputs[0]!}/table`;
    return [
      { ...node, inputs: [table.name, ...scales], outputs: [floats] },
      { ...read, inputs: [floats, ...read.inputs.slice(1)], outputs: node.outputs },
    ];
  });
  if (changes.length === 0) return { model, changes };
  const kept = nodes.filter((node) => !dropped.has(node));
  return { model: { ...model, graph: { ...graph, nodes: kept, valueInfo: new Map() } }, changes };
}

/** Not a constant. */
const NONE = { dims: [0] };
