// All that is known of one node, and the statistics of a weight.
import type { NodeCost } from '../../../src/analysis/cost.js';
import { constantsByName } from '../../../src/analysis/match.js';
import type { Attribute } from '../../../src/graph/graph.js';
import { elementCount, type Tensor, tensorNumbers } from '../../../src/graph/tensor.js';
import { formatType } from '../../../src/graph/types.js';
import type { Network } from '../../../src/networks/index.js';
import { inputsOf } from '../../../src/ops/index.js';
import { AuspexError } from '../../../src/util/errors.js';
import { printableStart } from '../../../src/util/printable.js';
import type { NodeDetails, ValueDetails, WeightStatistics } from './protocol.js';

const LENGTH = 300;

export function nodeDetails(network: Network, cost: NodeCost): NodeDetails {
  const { node, call, operator, isFunction } = cost.inferred;
  const constants = constantsByName(network.inference().graph);
  const formal = inputsOf(node, call.opset);
  const inputs = node.inputs.flatMap((name, slot): ValueDetails[] => {
    if (name === '') return [];
    const isConstant = constants.has(name);
    const formalName = formal.name(slot) ?? `input ${slot}`;
    return [
      {
        role: isConstant ? `${formalName} (${formal.role(slot)})` : formalName,
        name: printableStart(name, LENGTH),
        type: printableStart(formatType(call.inputs[slot]), LENGTH),
        constant: isConstant,
      },
    ];
  });
  const gradient =
    operator === undefined
      ? 'unknown operator'
      : operator.gradient !== undefined
        ? 'available'
        : 'none: values behind it get no gradient';
  return {
    name: printableStart(cost.name, LENGTH),
    operator: printableStart(cost.operator, LENGTH),
    about: isFunction ? 'model-local function' : `opset ${call.opset}`,
    attributes: [...node.attributes]
      .slice(0, 64)
      .map(([name, value]) => [printableStart(name, 60), attributeText(value)]),
    inputs: inputs.slice(0, 64),
    outputs: node.outputs
      .flatMap((name, i) =>
        name === ''
          ? []
          : [
              {
                role: `output ${i}`,
                name: printableStart(name, LENGTH),
                type: printableStart(formatType(call.outputs[i]), LENGTH),
                constant: false,
              },
            ],
      )
      .slice(0, 64),
    counting: operator?.cost.describe ?? 'not counted: unknown operator',
    gradient,
    documentation: printableStart(node.docString ?? '', LENGTH),
  };
}

function attributeText(attribute: Attribute): string {
  const { type, value } = attribute;
  if (type === 'tensor') return `${value.dtype}[${value.dims.join(',')}]`;
  if (type === 'graph') return `graph of ${value.nodes.length} nodes`;
  if (type === 'ints' || type === 'floats') {
    const shown = value.slice(0, 64).map(String).join(', ');
    return `[${shown}${value.length > 64 ? ', …' : ''}]`;
  }
  if (type === 'string')
    return printableStart(typeof value === 'string' ? value : `${value.length} bytes`, LENGTH);
  if (type === 'int' || type === 'float') return String(value);
  return type;
}

/** More elements than this are not read: the statistics are then of the first ones. */
const MOST_ELEMENTS = 16_000_000;
const BINS = 40;

/** @throws AuspexError DATA_MISSING, DATA_TRUNCATED … */
export function weightStatistics(network: Network, name: string): WeightStatistics {
  const tensor = constantsByName(network.inference().graph).get(name);
  if (tensor === undefined)
    throw new AuspexError('WEIGHT_UNKNOWN', `there is no constant called '${printableStart(name, 60)}'`);
  const elements = elementCount(tensor);
  if (elements > MOST_ELEMENTS) {
    throw new AuspexError('WEIGHT_LARGE', `${elements} elements are too many for statistics in a page`, {
      hint: `weights of up to ${MOST_ELEMENTS} elements are read`,
    });
  }
  return statisticsOf(tensorNumbers(tensor as Tensor));
}

export function statisticsOf(numbers: readonly number[]): WeightStatistics {
  let [minimum, maximum, sum, squares, zeros, finite] = [Infinity, -Infinity, 0, 0, 0, 0];
  for (const x of numbers) {
    if (!Number.isFinite(x)) continue;
    finite++;
    sum += x;
    if (x === 0) zeros++;
    if (x < minimum) minimum = x;
    if (x > maximum) maximum = x;
  }
  const mean = finite > 0 ? sum / finite : Number.NaN;
  const width = (maximum - minimum) / BINS || 1;
  const counts = new Array<number>(BINS).fill(0);
  for (const x of numbers) {
    if (!Number.isFinite(x)) continue;
    squares += (x - mean) ** 2;
    counts[Math.min(BINS - 1, Math.floor((x - minimum) / width))]!++;
  }
  return {
    elements: numbers.length,
    read: numbers.length,
    minimum,
    maximum,
    mean,
    deviation: Math.sqrt(squares / finite),
    zeros,
    notFinite: numbers.length - finite,
    bins:
      finite === 0
        ? []
        : counts.map((count, i) => ({ from: minimum + i * width, to: minimum + (i + 1) * width, count })),
  };
}
