// One node on its way to the next version of its operator: what a rule of the operator asks for and writes.
import type { DataType } from '../graph/dtype.js';
import { type Attribute, type Node, nodeLabel } from '../graph/graph.js';
import { fromNumbers, isWritable, type Tensor } from '../graph/tensor.js';
import { UNKNOWN, type ValueType } from '../graph/types.js';
import type { AttributeValue } from '../ops/build.js';
import { Call } from '../ops/operator.js';
import { schemaFor } from '../ops/schemas.js';
import type { AttributeChanges, NodeChange, VersionStep } from '../ops/versions.js';
import { ByteRange } from '../util/bytes.js';

/** What a step asks of the graph or function that its node is in. */
export interface Surroundings {
  typeOf(name: string): ValueType | undefined;
  isUsed(name: string): boolean;
  /** A name nobody has. */
  freshName(base: string): string;
  /** Adds a constant, unless there is an equal one; `nodes` takes it where constants must be nodes. */
  constant(tensor: (name: string) => Tensor, key: string, nodes: Node[]): string;
}

const NO_BODIES = {
  inferBody: (): never => {
    throw new Error('a step between versions infers no graphs');
  },
  sameWork: () => false,
};

export class NodeStep implements VersionStep {
  readonly node: Node;
  readonly call: Call;
  readonly nodes: Node[] = [];
  readonly changes: string[] = [];
  readonly #around: Surroundings;
  readonly #to: number;

  /** @param opsets the versions that the node comes from and goes to. */
  constructor(node: Node, [from, to]: readonly [number, number], around: Surroundings) {
    this.node = node;
    this.#to = to;
    this.#around = around;
    const types = node.inputs.map((name) => (name === '' ? undefined : (around.typeOf(name) ?? UNKNOWN)));
    this.call = new Call(node, from, types, NO_BODIES);
  }

  isUsed(output: number): boolean {
    return this.#around.isUsed(this.node.outputs[output] ?? '');
  }

  freshName(hint: string): string {
    return this.#around.freshName(`${nodeLabel(this.node)}/${hint}`);
  }

  constant(values: readonly (number | bigint)[], dtype: DataType = 'int64', dims = [values.length]): string {
    const isInt64 = dtype === 'int64';
    const broken = values.find((n) => typeof n === 'number' && !Number.isInteger(n));
    if (isInt64 && broken !== undefined) this.refuse(`${broken} is not a whole number`);
    if (!isInt64 && !isWritable(dtype)) this.refuse(`constants of ${dtype} are not written`);
    const tensor = (name: string): Tensor =>
      isInt64 ? integers(name, dims, values) : fromNumbers(name, dtype, dims, values.map(Number));
    return this.#around.constant(tensor, `${dtype}[${dims}]${values.map(exact)}`, this.nodes);
  }

  held(attribute: string): string | undefined {
    const held = this.node.attributes.get(attribute);
    switch (held?.type) {
      case undefined:
        return undefined;
      case 'ints':
        return this.constant(held.value);
      case 'reference': {
        if (held.of !== 'ints') return this.refuse(`${attribute} is an attribute of the function around it`);
        return this.write('Constant', [], { value_ints: held });
      }
      default:
        return this.refuse(`attribute '${attribute}' must hold whole numbers`);
    }
  }

  write(opType: string, inputs: readonly string[], attributes: AttributeChanges = {}): string {
    const name = this.freshName(opType);
    this.nodes.push({
      name,
      opType,
      domain: '',
      inputs,
      outputs: [name],
      attributes: this.#attributes(opType, attributes, new Map()),
    });
    return name;
  }

  append(node: Node): void {
    this.nodes.push(node);
  }

  change({ opType = this.node.opType, inputs, outputs, attributes = {} }: NodeChange, what: string): void {
    this.nodes.push({
      ...this.node,
      opType,
      inputs: inputs ?? this.node.inputs,
      outputs: outputs ?? this.node.outputs,
      attributes: this.#attributes(opType, attributes, this.node.attributes),
    });
    this.changes.push(what);
  }

  become(opType: string, inputs: readonly string[], attributes: AttributeChanges, what: string): void {
    const { node } = this;
    this.nodes.push({ ...node, opType, inputs, attributes: this.#attributes(opType, attributes, new Map()) });
    this.changes.push(what);
  }

  refuse(why: string): never {
    const isUp = this.#to > this.call.opset;
    return this.call.fail(
      `the node cannot be written in opset ${this.#to}: ${why}`,
      'OPSET_STEP',
      isUp ? 'fix the sizes of the inputs first with --shape or --dim' : 'choose a newer opset with --opset',
    );
  }

  #attributes(
    opType: string,
    changes: AttributeChanges,
    before: ReadonlyMap<string, Attribute>,
  ): ReadonlyMap<string, Attribute> {
    const attributes = new Map(before);
    const schema = schemaFor('', opType, this.#to);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) attributes.delete(name);
      else attributes.set(name, typed(value, schema?.attributes[name]?.type, `${opType}.${name}`));
    }
    return attributes;
  }
}

function typed(value: AttributeValue, type: string | undefined, name: string): Attribute {
  if (typeof value === 'object' && 'type' in value) return value;
  if (type === undefined) throw new Error(`there is no attribute ${name}`);
  return { type, value } as Attribute;
}

/** Integers of 64 bits, all of them exact. */
function integers(name: string, dims: readonly number[], values: readonly (number | bigint)[]): Tensor {
  const { buffer } = BigInt64Array.from(values, BigInt);
  return { name, dtype: 'int64', dims, data: { kind: 'raw', bytes: ByteRange.of(new Uint8Array(buffer)) } };
}

/** −0 is not 0. */
function exact(value: number | bigint): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
