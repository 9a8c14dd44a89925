// Arbitrary models for property tests: everything the format can say, whether or not it makes sense. And a
// plain form of models, to compare them: what hides in byte ranges and symbolic sizes is laid open.
import fc from 'fast-check';
import { Expr, symbol } from '../graph/dim.js';
import { type DataType, dataTypeOfCode } from '../graph/dtype.js';
import type {
  Attribute,
  AttributeTypeName,
  FunctionDefinition,
  Graph,
  Int,
  Model,
  Node,
  Text,
  ValueInfo,
} from '../graph/graph.js';
import type { SparseTensor, Tensor, TensorData, TypedField } from '../graph/tensor.js';
import { optionalType, sequenceType, TensorType, UNKNOWN, type ValueType } from '../graph/types.js';
import { ByteRange } from '../util/bytes.js';

const DATA_TYPES: readonly DataType[] = Array.from({ length: 28 }, (_, i) => dataTypeOfCode(i + 1)!);

const names = fc.oneof(
  fc.constantFrom('x', 'y', 'w', 'conv/weight:0', 'é', ''),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const givenNames = names.filter((name) => name !== '');
const bytes = fc.uint8Array({ maxLength: 24 });
const ranges = bytes.map((b) => ByteRange.of(b));
const sizes = fc.oneof(fc.nat(9), fc.constant(Number.MAX_SAFE_INTEGER), fc.maxSafeNat());
const dtypes = fc.constantFrom(...DATA_TYPES);
const maybeDtypes = fc.option(dtypes, { nil: undefined });

const int64s: fc.Arbitrary<Int> = fc
  .oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.integer().map(BigInt),
    fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, -1n, 0n),
  )
  .map((n) => (Number.isSafeInteger(Number(n)) ? Number(n) : n));

const texts: fc.Arbitrary<Text> = fc.oneof(names, bytes.filter(isNotText));

function isNotText(b: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(b);
    return false;
  } catch {
    return true;
  }
}

const metadata = fc
  .array(fc.tuple(names, names), { minLength: 1, maxLength: 2 })
  .map((entries) => new Map(entries));

/** The parts of a record that may be missing, as absent keys. */
function notes(): fc.Arbitrary<{ docString?: string; metadata?: ReadonlyMap<string, string> }> {
  return fc.record({ docString: givenNames, metadata }, { requiredKeys: [] });
}

function listOf<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(arbitrary, { maxLength: 3, depthIdentifier: 'model' });
}

function mapByName<T>(items: fc.Arbitrary<T>, nameOf: (item: T) => string): fc.Arbitrary<Map<string, T>> {
  return listOf(items).map((list) => new Map(list.map((item) => [nameOf(item), item])));
}

const tensorData: fc.Arbitrary<TensorData> = fc.oneof(
  ranges.map((range): TensorData => ({ kind: 'raw', bytes: range })),
  fc.record({
    kind: fc.constant('fields'),
    field: fc.constantFrom<TypedField>(
      'float_data',
      'int32_data',
      'int64_data',
      'double_data',
      'uint64_data',
    ),
    chunks: fc.array(ranges, { minLength: 1, maxLength: 3 }),
  }),
  fc.record(
    {
      kind: fc.constant('external'),
      location: givenNames,
      offset: sizes,
      length: fc.option(sizes, { nil: undefined }),
      checksum: givenNames,
    },
    { requiredKeys: ['kind', 'location', 'offset', 'length'] },
  ),
);

const dims = fc.array(fc.nat(9), { maxLength: 4 });

const tensors: fc.Arbitrary<Tensor> = fc
  .oneof(
    fc.record({ name: names, dtype: dtypes, dims, data: tensorData }),
    fc.record({
      name: names,
      dtype: fc.constant('string' as const),
      dims,
      data: fc.array(bytes, { maxLength: 3 }).map((values): TensorData => ({ kind: 'strings', values })),
    }),
  )
  .chain((tensor) => notes().map((more) => ({ ...tensor, ...more })));

const sparseTensors: fc.Arbitrary<SparseTensor> = fc.record({ values: tensors, indices: tensors, dims });

const shapes = fc.option(fc.array(fc.oneof(sizes, givenNames.map(symbol)), { maxLength: 4 }), {
  nil: undefined,
});

const valueTypes: fc.Arbitrary<ValueType> = fc.letrec<{ type: ValueType }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(maybeDtypes, shapes).map(([dtype, shape]) => new TensorType(dtype, shape)),
    fc.constant(UNKNOWN),
    fc.record({ kind: fc.constant('sparse'), dtype: maybeDtypes, shape: shapes }),
    fc.record({ kind: fc.constant('unknown'), domain: names, name: givenNames }),
    tie('type').map((element) => sequenceType(element)),
    tie('type').map((element) => optionalType(element)),
    tie('type').chain((value) => maybeDtypes.map((key): ValueType => ({ kind: 'map', key, value }))),
  ),
})).type;

const valueInfos: fc.Arbitrary<ValueInfo> = fc
  .record({ name: names, type: valueTypes })
  .chain((info) => notes().map((more) => ({ ...info, ...more })));

const attributeTypes = fc.constantFrom<AttributeTypeName>(
  'undefined',
  'float',
  'ints',
  'graph',
  'type_protos',
);

const { node: nodes, graph: graphs } = fc.letrec<{ attribute: Attribute; node: Node; graph: Graph }>(
  (tie) => ({
    attribute: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, depthIdentifier: 'model' },
      attributesOf('float', fc.float()),
      attributesOf('int', int64s),
      attributesOf('string', texts),
      attributesOf('tensor', tensors),
      attributesOf('sparse_tensor', sparseTensors),
      attributesOf('type_proto', valueTypes),
      attributesOf('floats', listOf(fc.float())),
      attributesOf('ints', listOf(int64s)),
      attributesOf('strings', listOf(texts)),
      attributesOf('tensors', listOf(tensors)),
      attributesOf('sparse_tensors', listOf(sparseTensors)),
      attributesOf('type_protos', listOf(valueTypes)),
      fc.record({ type: fc.constant('reference' as const), value: givenNames, of: attributeTypes }),
      attributesOf('graph', tie('graph')),
      attributesOf('graphs', listOf(tie('graph'))),
    ),
    node: fc
      .record(
        {
          name: names,
          opType: givenNames,
          domain: names,
          inputs: listOf(names),
          outputs: listOf(names),
          attributes: listOf(fc.tuple(names, tie('attribute'))).map((entries) => new Map(entries)),
          overload: givenNames,
          deviceConfigurations: fc.constant([{ configurationId: 'two', pipelineStage: 1 }]),
        },
        { requiredKeys: ['name', 'opType', 'domain', 'inputs', 'outputs', 'attributes'] },
      )
      .chain((node) => notes().map((more) => ({ ...node, ...more }))),
    graph: fc
      .record(
        {
          name: names,
          nodes: listOf(tie('node')),
          inputs: listOf(valueInfos),
          outputs: listOf(valueInfos),
          initializers: mapByName(tensors, (t) => t.name),
          sparseInitializers: mapByName(sparseTensors, (t) => t.values.name),
          valueInfo: mapByName(valueInfos, (v) => v.name),
          quantizationAnnotations: fc.constant([
            { tensorName: 'x', quantParameterTensorNames: [{ key: 'SCALE_TENSOR', value: 's' }] },
          ]),
        },
        {
          requiredKeys: [
            'name',
            'nodes',
            'inputs',
            'outputs',
            'initializers',
            'sparseInitializers',
            'valueInfo',
          ],
        },
      )
      .map((graph) => ({
        ...graph,
        sparseInitializers: new Map(
          [...graph.sparseInitializers].filter(([name]) => !graph.initializers.has(name)),
        ),
      }))
      .chain((graph) => notes().map((more) => ({ ...graph, ...more }))),
  }),
);

/** Attributes of one type. That the values fit it is for the caller to see to. */
function attributesOf(type: Attribute['type'], values: fc.Arbitrary<unknown>): fc.Arbitrary<Attribute> {
  return values.map((value) => ({ type, value }) as Attribute);
}

const opsets = listOf(fc.tuple(names, fc.nat(30))).map((entries) => new Map(entries));

const functions: fc.Arbitrary<FunctionDefinition> = fc
  .record(
    {
      name: names,
      domain: names,
      inputs: listOf(names),
      outputs: listOf(names),
      attributes: listOf(names),
      attributeDefaults: mapByName(givenNames, (name) => name).map(
        (map) =>
          new Map([...map.keys()].map((name): [string, Attribute] => [name, { type: 'int', value: 1 }])),
      ),
      nodes: listOf(nodes),
      opsetImports: opsets,
      valueInfo: mapByName(valueInfos, (v) => v.name),
      overload: givenNames,
    },
    {
      requiredKeys: [
        'name',
        'domain',
        'inputs',
        'outputs',
        'attributes',
        'attributeDefaults',
        'nodes',
        'opsetImports',
        'valueInfo',
      ],
    },
  )
  .chain((f) => notes().map((more) => ({ ...f, ...more })));

/** Any model, sensible or not, that a file can hold. */
export const models: fc.Arbitrary<Model> = fc.record(
  {
    irVersion: fc.nat(14),
    opsetImports: opsets,
    graph: graphs,
    functions: fc.array(functions, { maxLength: 2 }),
    producerName: names,
    producerVersion: names,
    domain: names,
    modelVersion: int64s,
    docString: names,
    metadata: fc.oneof(metadata, fc.constant(new Map<string, string>())),
    trainingInfo: fc.constant([{ updateBinding: [{ key: 'w', value: 'w_new' }] }]),
    deviceConfigurations: fc.constant([{ name: 'two', numDevices: 2, device: ['a', 'b'] }]),
  },
  {
    requiredKeys: [
      'irVersion',
      'opsetImports',
      'graph',
      'functions',
      'producerName',
      'producerVersion',
      'domain',
      'modelVersion',
      'docString',
      'metadata',
    ],
  },
);

/** A model (or a part of one) as plain arrays, records and texts. */
export function plain(value: unknown): unknown {
  if (value instanceof ByteRange) return { bytes: [...value.read()] };
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (value instanceof Expr) return { size: String(value) };
  if (value instanceof Map) return { map: [...value].map(([k, v]) => [k, plain(v)]) };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'files');
  return Object.fromEntries(entries.map(([key, v]) => [key, plain(v)]));
}
