// A network in float16, for small devices and GPUs. Inputs and outputs stay float32, with a Cast behind and before them.
// Operators that take no float16, those that run graphs and those that nothing is known of stay float32, too.
import { type InferredNode, inferShapes } from '../analysis/infer.js';
import { computedTensor, numbersIn } from '../graph/computed-tensor.js';
import { codeOfDataType } from '../graph/dtype.js';
import { type Attribute, hasSubgraphs, type Model, makeNode, type Node } from '../graph/graph.js';
import { usedNames as usedBy } from '../graph/order.js';
import type { Tensor } from '../graph/tensor.js';
import { isTensor, type ValueType } from '../graph/types.js';
import { isQuantised } from '../ops/float.js';
import { inputsOf, traitsOf } from '../ops/index.js';
import { floatData } from './tensor-data.js';
import type { Change, Transformed } from './transform.js';

const TRANSFORM = 'float16';
/** The largest number of float16. */
const LARGEST = 65504;

export function inFloat16(model: Model): Transformed {
  const { graph } = inferShapes(model);
  const narrowing = new Narrowing(model, graph.types);
  for (const node of graph.nodes) narrowing.add(node);
  return narrowing.done();
}

class Narrowing {
  readonly #model: Model;
  readonly #types: ReadonlyMap<string, ValueType>;
  readonly #nodes: Node[] = [];
  readonly #initializers: Map<string, Tensor>;
  readonly #changes: Change[] = [];
  /** Values of float32 that are there in float16, and what they are called then. */
  readonly #halves = new Map<string, string>();
  /** Values of float32 that are there as such. */
  readonly #wholes = new Set<string>();
  readonly #names: Set<string>;
  #narrowed = 0;

  constructor(model: Model, types: ReadonlyMap<string, ValueType>) {
    this.#model = model;
    this.#types = types;
    this.#initializers = new Map(model.graph.initializers);
    this.#names = new Set(types.keys());
    for (const { name } of model.graph.inputs) this.#wholes.add(name);
    for (const name of model.graph.initializers.keys()) this.#wholes.add(name);
  }

  add({ node, operator, isFunction }: InferredNode): void {
    const { float32, moves } = traitsOf(node);
    const isKept = operator === undefined || isFunction || float32 === true || hasSubgraphs(node);
    const isInteger = isQuantised(operator) || moves === 'quantisation';
    if (isKept || isInteger || this.#hasNoKernel(node)) return this.#keep(node);
    const [from = '', to = ''] = [node.inputs[0], node.outputs[0]];
    if (moves === 'type' && this.#isWide(from) && this.#isWide(to)) {
      // From float16 to float16.
      this.#halves.set(to, this.#half(from));
      return;
    }
    const type = this.#types.get(to);
    if (moves === 'type' && this.#isWide(from) && isTensor(type) && type.dtype === 'float16') {
      this.#nodes.push(makeNode('Identity', [this.#half(from)], [to], {}, { name: node.name }));
      return;
    }
    const isFloat = [...node.inputs, ...node.outputs].some((name) => this.#isWide(name));
    if (!isFloat) return void this.#nodes.push(node);
    // Floats that are made of none come from an attribute; one that has no other type stays.
    const attributes = this.#attributes(node);
    const isMade = !node.inputs.some((name) => this.#isWide(name));
    if (isMade && [...attributes].every(([key, value]) => value === node.attributes.get(key))) {
      return this.#keep(node);
    }
    const formal = inputsOf(node);
    const inputs = node.inputs.map((name, slot) => {
      const isKept = float32?.includes(formal.name(slot) ?? '') === true;
      return isKept ? this.#whole(name) : this.#half(name);
    });
    const outputs = node.outputs.map((name) => {
      if (name === '' || !this.#isWide(name)) return name;
      const half = this.#fresh(`${name}/half`);
      this.#halves.set(name, half);
      return half;
    });
    this.#narrowed++;
    this.#nodes.push({ ...node, inputs, outputs, attributes });
  }

  /** Sequences, and sums at places that several updates have: ONNX Runtime computes them in float32 only. */
  #hasNoKernel(node: Node): boolean {
    const isPlain = [...node.inputs, ...node.outputs].every((name) => {
      const type = this.#types.get(name);
      return type === undefined || type.kind === 'tensor' || type.kind === 'unknown';
    });
    const reduction = node.attributes.get('reduction');
    const adds = inputsOf(node).slot('updates') >= 0 && reduction !== undefined;
    return !isPlain || (adds && reduction.value !== 'none');
  }

  done(): Transformed {
    const { graph } = this.#model;
    if (this.#narrowed === 0) return { model: this.#model, changes: [] };
    for (const { name } of graph.outputs) this.#whole(name);
    const used = new Set([...graph.outputs.map(({ name }) => name), ...this.#nodes.flatMap(usedBy)]);
    const initializers = new Map([...this.#initializers].filter(([name]) => used.has(name)));
    const what = `${this.#narrowed} nodes compute in float16`;
    return {
      model: { ...this.#model, graph: { ...graph, nodes: this.#nodes, initializers, valueInfo: new Map() } },
      changes: [{ transform: TRANSFORM, what }, ...this.#changes],
    };
  }

  #isWide(name: string): boolean {
    const type = this.#types.get(name);
    return isTensor(type) && type.dtype === 'float32';
  }

  /** A node as it is, on float32. */
  #keep(node: Node): void {
    for (const name of usedBy(node)) this.#whole(name);
    for (const name of node.outputs) this.#wholes.add(name);
    this.#nodes.push(node);
    if ([...node.inputs, ...node.outputs].some((name) => this.#isWide(name)))
      this.#note('stays float32', node);
  }

  /** The name of a value in float32. */
  #whole(name: string): string {
    const half = this.#halves.get(name);
    if (half === undefined || this.#wholes.has(name)) return name;
    this.#wholes.add(name);
    this.#cast(half, name, 'float32');
    return name;
  }

  /** The name of a value in float16. */
  #half(name: string): string {
    if (name === '' || !this.#isWide(name)) return name;
    const known = this.#halves.get(name);
    if (known !== undefined) return known;
    const half = this.#fresh(`${name}/half`);
    this.#halves.set(name, half);
    const constant = this.#initializers.get(name);
    if (constant === undefined) this.#cast(name, half, 'float16');
    else this.#initializers.set(half, this.#tensor(constant, half));
    return half;
  }

  #cast(from: string, to: string, dtype: 'float16' | 'float32'): void {
    const attribute = { type: 'int', value: codeOfDataType(dtype) } as const;
    this.#nodes.push(makeNode('Cast', [from], [to], { to: attribute }, { name: to }));
  }

  #attributes(node: Node): ReadonlyMap<string, Attribute> {
    const { typeAttribute } = traitsOf(node);
    return new Map(
      [...node.attributes].map(([key, attribute]): [string, Attribute] => {
        const isType = key === typeAttribute && attribute.type === 'int';
        if (isType && Number(attribute.value) === codeOfDataType('float32')) {
          return [key, { type: 'int', value: codeOfDataType('float16') }];
        }
        const isNumbers = attribute.type === 'tensor' && attribute.value.dtype === 'float32';
        return [key, isNumbers ? { type: 'tensor', value: this.#tensor(attribute.value) } : attribute];
      }),
    );
  }

  /** A constant in float16; what is too large becomes the largest number. */
  #tensor(tensor: Tensor, name = tensor.name): Tensor {
    const isTooLarge = (x: number): boolean => Math.abs(x) > LARGEST;
    let count = 0;
    for (const x of floatData(tensor)) if (isTooLarge(x)) count++;
    if (count > 0) this.#note(`${count} numbers of '${tensor.name}' are ±${LARGEST}: they are too large`);
    const half = computedTensor(name, 'float16', tensor.dims, (from, to) =>
      Float32Array.from(numbersIn(tensor, from, to), (x) => Math.min(LARGEST, Math.max(-LARGEST, x))),
    );
    return { ...half, ...(tensor.metadata && { metadata: tensor.metadata }) };
  }

  #fresh(wished: string): string {
    let name = wished;
    for (let i = 2; this.#names.has(name); i++) name = `${wished}_${i}`;
    this.#names.add(name);
    return name;
  }

  #note(what: string, node?: Node): void {
    const about = node && { node: node.name || node.outputs[0]!, operator: node.opType };
    this.#changes.push({ transform: TRANSFORM, what, ...about });
  }
}
