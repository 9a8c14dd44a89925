// The messages of the ONNX file format as a table: field numbers, names and kinds, from onnx.proto (IR 14).
// Decoding and encoding are driven by it; nothing else in the project knows a field number.
import { BYTES, FIXED32, FIXED64, VARINT } from './wire.js';

export type FieldKind =
  | 'int64'
  | 'int32'
  | 'float'
  | 'double'
  /** A name. */
  | 'string'
  /** Free text of any length. */
  | 'text'
  /** Read into memory. */
  | 'bytes'
  /** Left in the file, as a range. */
  | 'range'
  | 'message';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  /** How a single value of the kind is written. */
  readonly wireType: number;
  readonly repeated: boolean;
  /** For `message`. */
  readonly message: (() => Message) | undefined;
}

export interface Message {
  readonly name: string;
  readonly fields: ReadonlyMap<number, Field>;
}

/**
 * A message from lines such as `1 name string`, `8 ints int64*`, `4 floatData range*`, `5 t TensorProto`:
 * number, name, kind; `*` is repeated. Other kinds name messages.
 */
function message(name: string, lines: string): Message {
  const fields = new Map<number, Field>();
  for (const line of lines.trim().split('\n')) {
    const [number, fieldName, type] = line.trim().split(/\s+/) as [string, string, string];
    const typeName = type.replace('*', '');
    const isScalar = Object.hasOwn(WIRE_TYPES, typeName);
    const kind = isScalar ? (typeName as FieldKind) : 'message';
    fields.set(Number(number), {
      name: fieldName,
      kind,
      wireType: WIRE_TYPES[kind],
      repeated: type !== typeName,
      message: isScalar ? undefined : () => MESSAGES[typeName]!,
    });
  }
  return { name, fields };
}

const WIRE_TYPES: Record<FieldKind, number> = {
  int64: VARINT,
  int32: VARINT,
  float: FIXED32,
  double: FIXED64,
  string: BYTES,
  text: BYTES,
  bytes: BYTES,
  range: BYTES,
  message: BYTES,
};

const DEFINITIONS: Record<string, string> = {
  ModelProto: `
    1 irVersion int64
    8 opsetImport OperatorSetIdProto*
    2 producerName string
    3 producerVersion string
    4 domain string
    5 modelVersion int64
    6 docString text
    7 graph GraphProto
    14 metadataProps StringStringEntryProto*
    20 trainingInfo TrainingInfoProto*
    25 functions FunctionProto*
    26 configuration DeviceConfigurationProto*`,
  GraphProto: `
    1 node NodeProto*
    2 name string
    5 initializer TensorProto*
    15 sparseInitializer SparseTensorProto*
    10 docString text
    11 input ValueInfoProto*
    12 output ValueInfoProto*
    13 valueInfo ValueInfoProto*
    14 quantizationAnnotation TensorAnnotation*
    16 metadataProps StringStringEntryProto*`,
  NodeProto: `
    1 input string*
    2 output string*
    3 name string
    4 opType string
    7 domain string
    8 overload string
    5 attribute AttributeProto*
    6 docString text
    9 metadataProps StringStringEntryProto*
    10 deviceConfigurations NodeDeviceConfigurationProto*`,
  AttributeProto: `
    1 name string
    21 refAttrName string
    13 docString text
    20 type int32
    2 f float
    3 i int64
    4 s bytes
    5 t TensorProto
    6 g GraphProto
    22 sparseTensor SparseTensorProto
    14 tp TypeProto
    7 floats float*
    8 ints int64*
    9 strings bytes*
    10 tensors TensorProto*
    11 graphs GraphProto*
    23 sparseTensors SparseTensorProto*
    15 typeProtos TypeProto*`,
  TensorProto: `
    1 dims int64*
    2 dataType int32
    3 segment Segment
    4 floatData range*
    5 int32Data range*
    6 stringData bytes*
    7 int64Data range*
    8 name string
    12 docString text
    9 rawData range
    13 externalData StringStringEntryProto*
    14 dataLocation int32
    10 doubleData range*
    11 uint64Data range*
    16 metadataProps StringStringEntryProto*`,
  Segment: `
    1 begin int64
    2 end int64`,
  SparseTensorProto: `
    1 values TensorProto
    2 indices TensorProto
    3 dims int64*`,
  ValueInfoProto: `
    1 name string
    2 type TypeProto
    3 docString text
    4 metadataProps StringStringEntryProto*`,
  TypeProto: `
    1 tensorType TensorTypeProto
    4 sequenceType ElementTypeProto
    5 mapType MapTypeProto
    9 optionalType ElementTypeProto
    8 sparseTensorType TensorTypeProto
    7 opaqueType OpaqueTypeProto
    6 denotation string`,
  TensorTypeProto: `
    1 elemType int32
    2 shape TensorShapeProto`,
  ElementTypeProto: `
    1 elemType TypeProto`,
  MapTypeProto: `
    1 keyType int32
    2 valueType TypeProto`,
  OpaqueTypeProto: `
    1 domain string
    2 name string`,
  TensorShapeProto: `
    1 dim Dimension*`,
  Dimension: `
    1 dimValue int64
    2 dimParam string
    3 denotation string`,
  OperatorSetIdProto: `
    1 domain string
    2 version int64`,
  StringStringEntryProto: `
    1 key string
    2 value text`,
  TensorAnnotation: `
    1 tensorName string
    2 quantParameterTensorNames StringStringEntryProto*`,
  FunctionProto: `
    1 name string
    4 input string*
    5 output string*
    6 attribute string*
    11 attributeProto AttributeProto*
    7 node NodeProto*
    8 docString text
    9 opsetImport OperatorSetIdProto*
    10 domain string
    13 overload string
    12 valueInfo ValueInfoProto*
    14 metadataProps StringStringEntryProto*`,
  TrainingInfoProto: `
    1 initialization GraphProto
    2 algorithm GraphProto
    3 initializationBinding StringStringEntryProto*
    4 updateBinding StringStringEntryProto*`,
  DeviceConfigurationProto: `
    1 name string
    2 numDevices int32
    3 device string*`,
  NodeDeviceConfigurationProto: `
    1 configurationId string
    2 shardingSpec ShardingSpecProto*
    3 pipelineStage int32`,
  ShardingSpecProto: `
    1 tensorName string
    2 device int64*
    3 indexToDeviceGroupMap IntIntListEntryProto*
    4 shardedDim ShardedDimProto*`,
  IntIntListEntryProto: `
    1 key int64
    2 value int64*`,
  ShardedDimProto: `
    1 axis int64
    2 simpleSharding SimpleShardedDimProto*`,
  SimpleShardedDimProto: `
    1 dimValue int64
    2 dimParam string
    3 numShards int64`,
  SequenceProto: `
    1 name string
    2 elemType int32
    3 tensorValues TensorProto*
    4 sparseTensorValues SparseTensorProto*
    5 sequenceValues SequenceProto*
    6 mapValues MapProto*
    7 optionalValues OptionalProto*`,
  MapProto: `
    1 name string
    2 keyType int32
    3 keys int64*
    4 stringKeys bytes*
    5 values SequenceProto`,
  OptionalProto: `
    1 name string
    2 elemType int32
    3 tensorValue TensorProto
    4 sparseTensorValue SparseTensorProto
    5 sequenceValue SequenceProto
    6 mapValue MapProto
    7 optionalValue OptionalProto`,
};

const MESSAGES: Record<string, Message> = Object.fromEntries(
  Object.entries(DEFINITIONS).map(([name, lines]) => [name, message(name, lines)]),
);

export const MODEL: Message = MESSAGES.ModelProto!;

/** TensorProto itself: the format of the `.pb` files that ONNX's tests keep their data in. */
export const TENSOR: Message = MESSAGES.TensorProto!;
export const NODE: Message = MESSAGES.NodeProto!;

/** Values that are no tensors (onnx-data.proto); no model contains them, only the `.pb` files of tests do. */
export const SEQUENCE: Message = MESSAGES.SequenceProto!;
export const OPTIONAL: Message = MESSAGES.OptionalProto!;

/** A decoded message: fields by name, absent where the file has none. */
export type Decoded = { readonly [field: string]: unknown };
