// Models for tests of the page, written without a library: a long chain, and one whose names are an attack.

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];

function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);
}

export function valueInfo(name: string, ...dims: readonly number[]): Buffer {
  const shape = Buffer.concat(dims.map((size) => field(1, Buffer.from([8, ...varint(size)]))));
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
): Buffer {
  const graph = Buffer.concat([
    ...nodes.map((one) => field(1, one)),
    field(2, 'g'),
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

/** A model whose second node gets a matrix that does not fit. */
export function brokenModel(): Buffer {
  const nodes = [node('right', 'Relu', ['x'], 'h'), node('wrong', 'MatMul', ['h', 'w'], 'y')];
  return model(nodes, [valueInfo('x', 2, 3), valueInfo('w', 4, 5)], [valueInfo('y', 2, 5)]);
}
