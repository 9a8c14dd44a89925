// What every bundled file predicts of twenty architectures, through the command line; and what its graph puts out for
// encoded cells, through ONNX Runtime alone: the file format, whatever our encoders do.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, describe, expect, it } from 'vitest';
import {
  differences,
  documentsOf,
  findFile,
  isUpdate,
  output,
  readFixture,
  scratch,
  writeFixture,
} from './harness.js';

interface Inputs {
  architectures: Record<string, string[]>;
  files: {
    file: string;
    space: string;
    /** Cells are padded to this many nodes; codes of operations and of the number of nodes are this wide. */
    nodes: number;
    codes: number;
    sizes: number;
    /** `isOtherForm`: predictors are given another form of the cell now, the same for all cells that are this network. */
    graphs: { place: number; operations: number[]; edges: string; isOtherForm?: true }[];
  }[];
}

interface Frozen {
  labels: string[];
  units: string[];
  /** For every architecture, every label: value, and the interval if there is one. */
  predictions: number[][][];
  /** What the graph puts out for the encoded cells, row by row. */
  raw: number[][];
}

const FIXTURE = 'predictions.json.gz';
/** Relative: predictions are float32. */
const TOLERANCE = 1e-5;
const { architectures, files } = readFixture<Inputs>('prediction-inputs.json');
const frozen = isUpdate ? {} : readFixture<Record<string, Frozen>>(FIXTURE);
const found: Record<string, Frozen> = {};

const { folder, remove } = scratch('predictions');
afterAll(() => {
  if (isUpdate) writeFixture(FIXTURE, found);
  remove();
});

describe.each(files)('$file', ({ file, space, nodes, codes, sizes, graphs }) => {
  const path = findFile(file);
  // A label of a trunk may be nearly 0, where a relative difference says nothing: its largest value is the measure.
  const isTrunk = file.includes('trunk');

  const compared = (a: number[][], b: number[][]): string[] => {
    expect([b.length, b[0]!.length]).toEqual([a.length, a[0]!.length]);
    const most = a[0]!.map((_, i) => Math.max(...a.map((row) => Math.abs(row[i]!))));
    return a.flatMap((row, r) =>
      row.flatMap((value, i) => {
        const name = `row ${r}, number ${i}`;
        const scale = isTrunk ? most[i]! : 0;
        return Math.abs(value - b[r]![i]!) <= TOLERANCE * scale
          ? []
          : differences({ [name]: value }, { [name]: b[r]![i]! }, TOLERANCE);
      }),
    );
  };

  it('predicts what it predicted', async () => {
    const list = join(folder, `${space}.txt`);
    writeFileSync(list, `${architectures[space]!.join('\n')}\n`);
    const text = await output(folder, ['predict', path, '--input', list, '--threads', '1', '--json']);
    const rows = documentsOf(text) as {
      space: string;
      arch: string;
      predictions: { label: string; unit: string; value: number; low?: number; high?: number }[];
    }[];
    expect(rows.map(({ arch }) => arch)).toEqual(architectures[space]);
    expect(new Set(rows.map((row) => row.space))).toEqual(new Set([space]));
    const [first] = rows;
    const now = {
      labels: first!.predictions.map(({ label }) => label),
      units: first!.predictions.map(({ unit }) => unit),
      predictions: rows.map((row) =>
        row.predictions.map(({ value, low, high }) => (low === undefined ? [value] : [value, low, high!])),
      ),
    };
    found[file] = { ...now, raw: found[file]?.raw ?? [] };
    if (isUpdate) return;
    const then = frozen[file]!;
    expect([now.labels, now.units]).toEqual([then.labels, then.units]);
    const flat = (of: number[][][]): number[][] => of.map((row) => row.flat());
    expect(compared(flat(then.predictions), flat(now.predictions))).toEqual([]);
  });

  it('puts out what it put out for encoded cells', async () => {
    const count = graphs.length;
    const operations = new Float32Array(count * nodes * codes);
    const size = new Float32Array(count * sizes);
    const adjacency = new Float32Array(count * nodes * nodes);
    graphs.forEach((graph, g) => {
      size[g * sizes + graph.operations.length] = 1;
      graph.operations.forEach((code, i) => {
        operations[(g * nodes + i) * codes + code] = 1;
      });
      for (const edge of graph.edges.split(' ')) {
        const [from, to] = edge.split('>').map(Number) as [number, number];
        adjacency[(g * nodes + from) * nodes + to] = 1;
      }
    });
    const session = await InferenceSession.create(path, { intraOpNumThreads: 1 });
    const { prediction } = await session.run({
      operations: new Tensor('float32', operations, [count, nodes, codes]),
      size: new Tensor('float32', size, [count, 1, sizes]),
      adjacency: new Tensor('float32', adjacency, [count, nodes, nodes]),
    });
    await session.release();
    const width = prediction!.dims[1]!;
    const data = prediction!.data as Float32Array;
    const raw = graphs.map((_, g) => [...data.subarray(g * width, (g + 1) * width)]);
    found[file] = { ...found[file]!, raw };
    if (isUpdate) return;
    const then = frozen[file]!;
    expect(compared(then.raw, raw)).toEqual([]);
    // What is printed is what the graph puts out.
    const given = graphs.flatMap(({ isOtherForm }, g) => (isOtherForm ? [] : [g]));
    const printed = given.map((g) => then.predictions[graphs[g]!.place]!.map(([value]) => value!));
    expect(
      compared(
        printed,
        given.map((g) => raw[g]!),
      ),
    ).toEqual([]);
  });
});
