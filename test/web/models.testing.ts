// Models for tests of the page, written without a library: a long chain, and one whose names are an attack.

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];

function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);
}

/** @param dims numbers, or names of sizes that are left open */
export function valueInfo(name: string, ...dims: readonly (number | string)[]): Buffer {
  const dim = (size: number | string): Buffer =>
    typeof size === 'number' ? Buffer.from([8, ...varint(size)]) : field(2, size);
  const shape = Buffer.concat(dims.map((size) => field(1, dim(size))));
  return Buffer.concat([
    field(1, name),
    field(2, field(1, Buffer.concat([Buffer.from([8, 1]), field(2, shape)]))),
  ]);
}

export function node(name: string, type: string, inputs: readonly string[], output: string): Buffer {
  return Buffer.concat([
    ...inputs.map((input) => field(1, input)),
    field(2, output),
    field(3, name),
    field(4, type),
  ]);
}

export function model(
  nodes: readonly Buffer[],
  inputs: readonly Buffer[],
  outputs: readonly Buffer[],
  constants: readonly Buffer[] = [],
): Buffer {
  const graph = Buffer.concat([
    ...nodes.map((one) => field(1, one)),
    field(2, 'g'),
    ...constants.map((one) => field(5, one)),
    ...inputs.map((one) => field(11, one)),
    ...outputs.map((one) => field(12, one)),
  ]);
  return Buffer.concat([Buffer.from([8, 8]), field(7, graph), field(8, Buffer.from([16, 17]))]);
}

/** A chain with shortcuts of different lengths, without any blocks in its names. */
export function chainModel(count: number): Buffer {
  const nodes: Buffer[] = [];
  const types = ['Relu', 'Sigmoid', 'Tanh', 'Exp', 'Neg', 'Abs', 'Sin'];
  for (let i = 0; i < count; i++) {
    const before = i === 0 ? 'x' : `v${i - 1}`;
    const isSum = i > 12 && (i * i) % 11 === 4;
    const far = `v${Math.max(0, i - 2 - ((i * 7) % 11))}`;
    nodes.push(
      isSum
        ? node(`n${i}`, 'Add', [before, far], `v${i}`)
        : node(`n${i}`, types[(i * i + i) % 7]!, [before], `v${i}`),
    );
  }
  return model(nodes, [valueInfo('x', 1, 8)], [valueInfo(`v${count - 1}`, 1, 8)]);
}

/** @param length of the longest name */
export function hostileModel(length = 60_000): Buffer {
  const markup = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
  const names = [
    markup,
    `${'a/'.repeat(300)}deep`,
    'x'.repeat(length),
    '\u202e\u0000\u001b[31m',
    `"'&lt;${markup}`,
  ];
  const nodes = names.map((name, i) =>
    node(name, i === 2 ? markup : 'Relu', [i === 0 ? markup : `${markup}${i - 1}`], `${markup}${i}`),
  );
  return model(nodes, [valueInfo(markup, 1, 3)], [valueInfo(`${markup}${names.length - 1}`, 1, 3)]);
}

function matrix(name: string, rows: number, columns: number, values: Float32Array): Buffer {
  const dims = [rows, columns].map((size) => Buffer.from([8, ...varint(size)]));
  return Buffer.concat([...dims, Buffer.from([16, 1]), field(8, name), field(9, Buffer.from(values.buffer))]);
}

/** A matrix product of open batch and length: batch x length x 8 x 4 MACs. */
export function openModel(): Buffer {
  const values = Float32Array.from({ length: 32 }, (_, i) => i / 32);
  const inputs = [valueInfo('x', 'batch', 'length', 8)];
  const outputs = [valueInfo('y', 'batch', 'length', 4)];
  return model([node('product', 'MatMul', ['x', 'w'], 'y')], inputs, outputs, [matrix('w', 8, 4, values)]);
}

/** A matrix product whose weights are not numbers, but for one. */
export function nanModel(): Buffer {
  const values = new Float32Array(64).fill(Number.NaN);
  values.set([Number.POSITIVE_INFINITY, 2]);
  const [inputs, outputs] = [[valueInfo('x', 1, 8)], [valueInfo('y', 1, 8)]];
  return model([node('product', 'MatMul', ['x', 'w'], 'y')], inputs, outputs, [matrix('w', 8, 8, values)]);
}

/** The beginning of a model whose weights follow to the end of the file: `rows` x 1000 numbers. */
export function beginningOfLargeModel(rows: number): Buffer {
  const bytes = 4000 * rows;
  const tag = (number: number, length: number): Buffer => Buffer.from([(number << 3) | 2, ...varint(length)]);
  const dims = [rows, 1000].map((size) => Buffer.from([8, ...varint(size)]));
  const tensor = Buffer.concat([...dims, Buffer.from([16, 1]), field(8, 'w'), tag(9, bytes)]);
  const graph = Buffer.concat([
    field(1, node('product', 'MatMul', ['x', 'w'], 'y')),
    field(2, 'g'),
    ...[field(11, valueInfo('x', 1, rows)), field(12, valueInfo('y', 1, 1000))],
    tag(5, tensor.length + bytes),
    tensor,
  ]);
  const opset = field(8, Buffer.from([16, 17]));
  return Buffer.concat([Buffer.from([8, 8]), opset, tag(7, graph.length + bytes), graph]);
}

/** A model whose second node gets a matrix that does not fit. */
export function brokenModel(): Buffer {
  const nodes = [node('right', 'Relu', ['x'], 'h'), node('wrong', 'MatMul', ['h', 'w'], 'y')];
  return model(nodes, [valueInfo('x', 2, 3), valueInfo('w', 4, 5)], [valueInfo('y', 2, 5)]);
}
