/**
 * Which inputs, outputs and attributes each version of an operator takes. The data is generated
 * (see schemas.generated.ts for its encoding) and decoded here, per operator, when first asked for.
 */
import { type AttributeSchema, type OperatorSchema, SCHEMAS } from './schemas.generated.js';

export type { AttributeSchema, OperatorSchema } from './schemas.generated.js';

const ATTRIBUTE_TYPES: Readonly<Record<string, AttributeSchema['type']>> = {
  f: 'float',
  i: 'int',
  s: 'string',
  t: 'tensor',
  g: 'graph',
  x: 'sparse_tensor',
  y: 'type_proto',
  F: 'floats',
  I: 'ints',
  S: 'strings',
  T: 'tensors',
  G: 'graphs',
  X: 'sparse_tensors',
  Y: 'type_protos',
};

const decoded = new Map<string, OperatorSchema[]>();

/**
 * All versions of an operator, oldest first, or undefined when it is unknown. The key is the
 * operator's name, and outside ai.onnx `domain::name`. The result is shared: do not modify it.
 */
export function operatorSchemas(key: string): OperatorSchema[] | undefined {
  let versions = decoded.get(key);
  if (versions === undefined && Object.hasOwn(SCHEMAS, key)) {
    versions = decodeEntries((SCHEMAS[key] ?? '').split(' | '));
    decoded.set(key, versions);
  }
  return versions;
}

/**
 * The schema an operator has under an opset: the version with the greatest `since` not above it.
 * Undefined when the operator is unknown or was introduced later. A withdrawn operator gives the
 * version marked `deprecated`. The result is shared: do not modify it.
 */
export function schemaFor(domain: string, opType: string, opset: number): OperatorSchema | undefined {
  const key = domain === '' || domain === 'ai.onnx' ? opType : `${domain}::${opType}`;
  return operatorSchemas(key)?.findLast((version) => version.since <= opset);
}

/** All versions of an operator; one that does not name its inputs has the names of the one after it. */
function decodeEntries(entries: readonly string[]): OperatorSchema[] {
  let names: readonly string[] = [];
  return entries
    .toReversed()
    .flatMap((entry): OperatorSchema[] => {
      const told = / \(([\w,]+)\)/.exec(entry)?.[1];
      names = told?.split(',') ?? names;
      return decodeEntry(entry, names).reverse();
    })
    .reverse();
}

/** Decodes `1,11,22 2-3>1 (X,W,B) group:i=1`: one schema for each of the opsets it starts with. */
function decodeEntry(entry: string, names: readonly string[]): OperatorSchema[] {
  const [sinces = '', counts = '', ...words] = entry.split(' ');
  const [inputs = '', outputs = ''] = counts.split('>');
  // No prototype, so that looking up an attribute named 'constructor' finds nothing.
  const attributes: OperatorSchema['attributes'] = Object.create(null);
  for (const word of words) {
    const colon = word.indexOf(':');
    if (colon >= 0) attributes[word.slice(0, colon)] = decodeAttribute(word.slice(colon + 1));
  }
  const arity = decodeArity(inputs);
  return sinces.split(',').map((since) => ({
    since: Number(since),
    inputs: arity,
    outputs: decodeArity(outputs),
    inputNames: names.slice(0, arity[1]),
    ...(words.includes('deprecated') && { deprecated: true }),
    ...(words.includes('contrib') && { contrib: true }),
    attributes,
  }));
}

/** Decodes `2`, `2-3` or `1-*`. */
function decodeArity(text: string): [min: number, max: number] {
  const [min = '', max = min] = text.split('-');
  return [Number(min), max === '*' ? Number.POSITIVE_INFINITY : Number(max)];
}

/** Decodes what follows an attribute's name: `i`, `i!` or `i=1`. */
function decodeAttribute(text: string): AttributeSchema {
  const type = ATTRIBUTE_TYPES[text.charAt(0)];
  if (type === undefined) throw new Error(`unknown attribute type in operator schema: ${text}`);
  if (text.charAt(1) === '!') return { type, required: true };
  if (text.charAt(1) !== '=') return { type };
  const value: number | string | number[] | string[] = JSON.parse(text.slice(2));
  // Floats are rounded to 32 bits, to be equal to the same value read from a model.
  if (typeof value === 'number' && type === 'float') return { type, default: Math.fround(value) };
  return { type, default: value };
}

let newest: number | undefined;

/** The newest version of ai.onnx that brought an operator. */
export function newestOpset(): number {
  newest ??= Math.max(
    ...Object.keys(SCHEMAS)
      .filter((key) => !key.includes('::'))
      .flatMap((key) => operatorSchemas(key)!.map(({ since }) => since)),
  );
  return newest;
}
