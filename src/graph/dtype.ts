// Element types of tensors: ONNX's codes, our names for them (NumPy's where it has one), their sizes.

interface DataTypeFacts {
  /** The value of TensorProto.DataType. */
  code: number;
  /** Bits of one element as it is stored; strings count as 0. */
  bits: number;
  kind: 'float' | 'int' | 'uint' | 'bool' | 'complex' | 'string';
}

const FACTS = {
  float32: { code: 1, bits: 32, kind: 'float' },
  uint8: { code: 2, bits: 8, kind: 'uint' },
  int8: { code: 3, bits: 8, kind: 'int' },
  uint16: { code: 4, bits: 16, kind: 'uint' },
  int16: { code: 5, bits: 16, kind: 'int' },
  int32: { code: 6, bits: 32, kind: 'int' },
  int64: { code: 7, bits: 64, kind: 'int' },
  string: { code: 8, bits: 0, kind: 'string' },
  bool: { code: 9, bits: 8, kind: 'bool' },
  float16: { code: 10, bits: 16, kind: 'float' },
  float64: { code: 11, bits: 64, kind: 'float' },
  uint32: { code: 12, bits: 32, kind: 'uint' },
  uint64: { code: 13, bits: 64, kind: 'uint' },
  complex64: { code: 14, bits: 64, kind: 'complex' },
  complex128: { code: 15, bits: 128, kind: 'complex' },
  bfloat16: { code: 16, bits: 16, kind: 'float' },
  float8e4m3fn: { code: 17, bits: 8, kind: 'float' },
  float8e4m3fnuz: { code: 18, bits: 8, kind: 'float' },
  float8e5m2: { code: 19, bits: 8, kind: 'float' },
  float8e5m2fnuz: { code: 20, bits: 8, kind: 'float' },
  uint4: { code: 21, bits: 4, kind: 'uint' },
  int4: { code: 22, bits: 4, kind: 'int' },
  float4e2m1: { code: 23, bits: 4, kind: 'float' },
  float8e8m0: { code: 24, bits: 8, kind: 'float' },
  uint2: { code: 25, bits: 2, kind: 'uint' },
  int2: { code: 26, bits: 2, kind: 'int' },
  float6e2m3: { code: 27, bits: 6, kind: 'float' },
  float6e3m2: { code: 28, bits: 6, kind: 'float' },
} as const satisfies Record<string, DataTypeFacts>;

/** The type of a tensor's elements. */
export type DataType = keyof typeof FACTS;

const BY_CODE = new Map<number, DataType>(
  (Object.keys(FACTS) as DataType[]).map((name) => [FACTS[name].code, name]),
);

/** The data type of an ONNX code, or undefined for 0 (not set) and codes that do not exist. */
export function dataTypeOfCode(code: number): DataType | undefined {
  return BY_CODE.get(code);
}

export function codeOfDataType(dtype: DataType | undefined): number {
  return dtype === undefined ? 0 : FACTS[dtype].code;
}

export function bitsOf(dtype: DataType): number {
  return FACTS[dtype].bits;
}

export function kindOf(dtype: DataType): DataTypeFacts['kind'] {
  return FACTS[dtype].kind;
}

export function isFloat(dtype: DataType | undefined): boolean {
  return dtype !== undefined && FACTS[dtype].kind === 'float';
}

export function isInteger(dtype: DataType | undefined): boolean {
  return dtype !== undefined && (FACTS[dtype].kind === 'int' || FACTS[dtype].kind === 'uint');
}

/** Bytes that `elements` of a type take when packed; types under a byte are rounded up as a whole. */
export function bytesFor(dtype: DataType, elements: number): number {
  return Math.ceil((elements * FACTS[dtype].bits) / 8);
}
