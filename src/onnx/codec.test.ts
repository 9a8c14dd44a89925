import { describe, expect, it } from 'vitest';
import { type ByteRange, MemorySource } from '../util/bytes.js';
import { DEFAULT_LIMITS, decode, encode, type Limits } from './codec.js';
import { type Decoded, type Message, MODEL, TENSOR } from './proto.js';
import { BYTES, FIXED32, FIXED64, VARINT, WireWriter } from './wire.js';

/** One field of a message, by hand: a number, or bytes with their length in front. */
function field(number: number, wireType: number, content: number | readonly number[]): number[] {
  const writer = new WireWriter();
  writer.tag(number, wireType);
  if (typeof content === 'number') writer.int64(content);
  else {
    if (wireType === BYTES) writer.uint(content.length);
    writer.bytes(Uint8Array.from(content));
  }
  return [...writer.finish()];
}

function read(message: Message, bytes: readonly number[], limits: Partial<Limits> = {}): Decoded {
  return decode(new MemorySource(Uint8Array.from(bytes)), message, { ...DEFAULT_LIMITS, ...limits });
}

const text = (t: string): number[] => [...new TextEncoder().encode(t)];

// Field numbers of ModelProto, GraphProto, NodeProto, AttributeProto and TensorProto.
const graph = (content: readonly number[]): number[] => field(7, BYTES, content);
const node = (content: readonly number[]): number[] => field(1, BYTES, content);
const attribute = (content: readonly number[]): number[] => field(5, BYTES, content);
const DIMS = 1;
const FLOAT_DATA = 4;
const INT64_DATA = 7;

const float = (x: number): number[] => [...new Uint8Array(Float32Array.of(x).buffer)];

describe('decoding', () => {
  it('takes repeated numbers packed, one by one, or mixed', () => {
    const packed = field(DIMS, BYTES, [2, 3, 0x80, 0x01]);
    const single = [...field(DIMS, VARINT, 2), ...field(DIMS, VARINT, 3), ...field(DIMS, VARINT, 128)];
    const mixed = [...field(DIMS, VARINT, 2), ...field(DIMS, BYTES, [3, 0x80, 0x01])];
    for (const bytes of [packed, single, mixed]) expect(read(TENSOR, bytes).dims).toEqual([2, 3, 128]);
  });

  it('takes data that stays in the file packed, one by one, or mixed', () => {
    const cases: [number[], string][] = [
      [field(FLOAT_DATA, BYTES, [...float(1), ...float(2)]), 'floatData'],
      [[...field(FLOAT_DATA, FIXED32, float(1)), ...field(FLOAT_DATA, BYTES, float(2))], 'floatData'],
      [[...field(INT64_DATA, VARINT, 300), ...field(INT64_DATA, BYTES, [1, 2])], 'int64Data'],
    ];
    const joined = cases.map(([bytes, name]) =>
      (read(TENSOR, bytes)[name] as ByteRange[]).flatMap((range) => [...range.read()]),
    );
    expect(joined).toEqual([
      [...float(1), ...float(2)],
      [...float(1), ...float(2)],
      [0xac, 0x02, 1, 2],
    ]);
  });

  it('takes the last of several values, and merges messages, as protobuf does', () => {
    expect(read(MODEL, [...field(1, VARINT, 3), ...field(1, VARINT, 8)]).irVersion).toBe(8);
    const twice = [...graph(node(field(4, BYTES, text('A')))), ...graph(node(field(4, BYTES, text('B'))))];
    expect((read(MODEL, twice).graph as Decoded).node).toEqual([{ opType: 'A' }, { opType: 'B' }]);
  });

  it('skips fields it does not know, of every wire type', () => {
    const unknown = [
      ...field(900, VARINT, -1),
      ...field(901, FIXED32, [1, 2, 3, 4]),
      ...field(902, FIXED64, [1, 2, 3, 4, 5, 6, 7, 8]),
      ...field(903, BYTES, [1, 2, 3]),
    ];
    expect(read(MODEL, [...unknown, ...field(1, VARINT, 8), ...unknown])).toEqual({ irVersion: 8 });
  });

  it('makes empty messages and lists of nothing', () => {
    expect(read(MODEL, [])).toEqual({});
    expect(read(TENSOR, field(DIMS, BYTES, []))).toEqual({ dims: [] });
  });
});

describe('bad bytes', () => {
  const cases: readonly [string, Message, number[], string, object][] = [
    ['field number 0', MODEL, [0x00], 'ONNX_MALFORMED', { offset: 1 }],
    ['a group', MODEL, field(900, 3, []), 'ONNX_MALFORMED', {}],
    ['an unused wire type', MODEL, field(900, 7, []), 'ONNX_MALFORMED', {}],
    ['another wire type than the field has', MODEL, field(7, VARINT, 1), 'ONNX_MALFORMED', { path: 'graph' }],
    [
      'a number where names are listed',
      MODEL,
      graph(node(field(1, VARINT, 1))),
      'ONNX_MALFORMED',
      { path: 'graph.node[0].input' },
    ],
    ['a length beyond the end', MODEL, [0x3a, 0x05, 0x00], 'ONNX_TRUNCATED', { offset: 2 }],
    [
      'a length beyond the end of its message',
      MODEL,
      [...graph([0x0a, 0x7f]), ...new Array<number>(200).fill(0)],
      'ONNX_TRUNCATED',
      { path: 'graph' },
    ],
    ['a length of 2^60', MODEL, [0x3a, ...new Array<number>(8).fill(0xff), 0x0f], 'ONNX_MALFORMED', {}],
    ['a tag that is cut off', MODEL, [0x80], 'ONNX_TRUNCATED', { offset: 1 }],
    ['a float that is cut off', MODEL, [...field(901, FIXED32, [1])], 'ONNX_TRUNCATED', {}],
    [
      'a packed list that ends inside a number',
      TENSOR,
      [...field(DIMS, BYTES, [0x80]), 0x01],
      'ONNX_TRUNCATED',
      {},
    ],
    [
      'a number that runs over the end of its message',
      MODEL,
      [...graph(node(attribute([0x18, 0x80]))), 0x01, 0x00],
      'ONNX_TRUNCATED',
      { path: 'graph.node[0].attribute[0]' },
    ],
    [
      'a name that is not text',
      MODEL,
      graph(node(field(4, BYTES, [0xff]))),
      'ONNX_MALFORMED',
      { path: 'graph.node[0].op_type' },
    ],
  ];
  it.each(cases)('%s', (_, message, bytes, code, where) => {
    expect(() => read(message, bytes)).toThrowError(
      expect.objectContaining({ code, where: expect.objectContaining(where) }),
    );
  });
});

describe('limits', () => {
  /** n levels of TypeProto { sequence_type { elem_type { … } } } as the type of an input. */
  function nested(levels: number): number[] {
    let type: number[] = [];
    for (let i = 0; i < levels; i++) type = field(4, BYTES, field(1, BYTES, type));
    return graph(field(11, BYTES, field(2, BYTES, type)));
  }

  it('nesting', () => {
    expect(() => read(MODEL, nested(90))).not.toThrow();
    expect(() => read(MODEL, nested(100))).toThrowError(
      expect.objectContaining({ code: 'ONNX_LIMIT', message: expect.stringContaining('192 deep') }),
    );
  });

  it('messages', () => {
    const bytes = graph(new Array<number[]>(20).fill(node([])).flat());
    expect(() => read(MODEL, bytes, { messages: 22 })).not.toThrow();
    expect(() => read(MODEL, bytes, { messages: 21 })).toThrowError(
      expect.objectContaining({
        code: 'ONNX_LIMIT',
        where: expect.objectContaining({ path: 'graph.node[19]' }),
      }),
    );
  });

  it.each([
    ['numbers', field(DIMS, BYTES, new Array<number>(20).fill(1))],
    ['texts', new Array<number[]>(20).fill(field(6, BYTES, [])).flat()],
    ['data one by one', new Array<number[]>(20).fill(field(INT64_DATA, VARINT, 1)).flat()],
  ])('%s in lists', (_, bytes) => {
    expect(() => read(TENSOR, bytes, { scalars: 20 })).not.toThrow();
    expect(() => read(TENSOR, bytes, { scalars: 19 })).toThrowError(
      expect.objectContaining({ code: 'ONNX_LIMIT' }),
    );
  });

  it('names are shorter than texts', () => {
    const name = field(8, BYTES, new Array<number>(100).fill(0x61));
    const docString = field(12, BYTES, new Array<number>(100).fill(0x61));
    expect(() => read(TENSOR, name, { nameBytes: 99 })).toThrowError(
      expect.objectContaining({ code: 'ONNX_LIMIT', where: expect.objectContaining({ path: 'name' }) }),
    );
    expect(() => read(TENSOR, docString, { nameBytes: 99 })).not.toThrow();
    expect(() => read(TENSOR, docString, { textBytes: 99 })).toThrowError(
      expect.objectContaining({ code: 'ONNX_LIMIT', where: expect.objectContaining({ path: 'doc_string' }) }),
    );
  });
});

describe('encoding', () => {
  it('leaves out what is undefined or empty, and keeps the order of the table', () => {
    const bytes = encode(TENSOR, { name: 't', dims: [2, -1], docString: undefined, floatData: [] }).finish();
    expect([...bytes]).toEqual([
      ...field(DIMS, VARINT, 2),
      ...field(DIMS, VARINT, -1),
      ...field(8, BYTES, text('t')),
    ]);
  });
});
