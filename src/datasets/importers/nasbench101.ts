// NAS-Bench-101's own files, nasbench_only108.tfrecord and nasbench_full.tfrecord (github.com/google-research/nasbench):
// every record is one training run, a JSON list [hash, epochs, adjacency, operations, base64 of ModelMetrics].
import { BYTES, FIXED32, FIXED64, VARINT, WireReader } from '../../onnx/wire.js';
import { MemorySource } from '../../util/bytes.js';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';
import type { Label, Table } from '../table.js';
import { TableBuilder } from '../table-builder.js';
import { tfRecords } from './tfrecord.js';

/** The training that counts; nasbench_full has shorter ones, too. */
const EPOCHS = 108;
/** Evaluations of a run: before training, half way, at the end. */
const FINAL = 2;

const PROVENANCE = 'NAS-Bench-101 (Ying et al. 2019): mean of the runs of 108 epochs on CIFAR-10, at the end';

const LABELS: readonly Label[] = [
  { name: 'val_accuracy', unit: 'fraction', better: 'higher', provenance: PROVENANCE },
  { name: 'test_accuracy', unit: 'fraction', better: 'higher', provenance: PROVENANCE },
  { name: 'train_accuracy', unit: 'fraction', better: 'higher', provenance: PROVENANCE },
  { name: 'train_seconds', unit: 's', better: 'lower', provenance: `${PROVENANCE}; on a TPU v2` },
  { name: 'params', unit: '', better: 'lower', provenance: 'NAS-Bench-101: trainable parameters' },
];

/** What a run ended with, in the order of the first four labels. */
type Final = readonly [validation: number, test: number, train: number, seconds: number];

interface Sums {
  readonly arch: string;
  readonly parameters: number;
  readonly final: [number, number, number, number];
  runs: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Cells in the order in which the file has them first, which is the order "the first N" of papers means. */
export function importNasBench101(chunks: Iterable<Uint8Array>): Table {
  const cells = new Map<string, Sums>();
  let records = 0;
  for (const record of tfRecords(chunks)) {
    const { hash, epochs, adjacency, operations, metrics } = parseRecord(record, records++);
    if (epochs !== EPOCHS) continue;
    const where = { path: `record ${records - 1}` };
    try {
      const { parameters, final } = modelMetrics(metrics);
      let cell = cells.get(hash);
      if (cell === undefined) {
        cell = { arch: cellText(adjacency, operations), parameters, final: [0, 0, 0, 0], runs: 0 };
        cells.set(hash, cell);
      }
      final.forEach((value, i) => {
        cell.final[i]! += value;
      });
      cell.runs++;
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      // The codec speaks of ONNX files, and of offsets that are none in this one.
      throw error.code.startsWith('ONNX')
        ? wrong('has metrics that are damaged', records - 1)
        : error.within(where);
    }
  }
  const builder = new TableBuilder('nasbench101', LABELS);
  for (const { arch, final, runs, parameters } of cells.values()) {
    builder.arch.text(arch);
    final.forEach((sum, i) => {
      builder.set(i, sum / runs);
    });
    builder.set(4, parameters);
    builder.endRow();
  }
  return builder.finish();
}

interface RunRecord {
  readonly hash: string;
  readonly epochs: number;
  readonly adjacency: string;
  readonly operations: string;
  readonly metrics: string;
}

function parseRecord(bytes: Uint8Array, index: number): RunRecord {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    value = undefined;
  }
  if (!Array.isArray(value) || value.length !== 5) throw wrong('is not a JSON list of five', index);
  const [hash, epochs, adjacency, operations, metrics] = value;
  if (![hash, adjacency, operations, metrics].every((item) => typeof item === 'string')) {
    throw wrong('has something else where texts belong', index);
  }
  if (typeof epochs !== 'number') throw wrong('has no number of epochs', index);
  return { hash, epochs, adjacency, operations, metrics };
}

function wrong(problem: string, index?: number): AuspexError {
  return new AuspexError('NASBENCH101_RECORD', `the record ${problem}`, {
    ...(index === undefined ? {} : { where: { path: `record ${index}` } }),
    hint: 'a NAS-Bench-101 record is [hash, epochs, adjacency, operations, metrics]',
  });
}

/** `<vertices>:<upper triangle, row by row>:<interior operations>`. */
function cellText(adjacency: string, operations: string): string {
  const vertices = Math.sqrt(adjacency.length);
  const ops = operations.split(',');
  if (!Number.isInteger(vertices) || vertices < 2 || !/^[01]*$/.test(adjacency) || ops.length !== vertices) {
    throw wrong(
      `has an adjacency '${printableStart(adjacency, 60)}' that is not square or does not fit its operations`,
    );
  }
  let triangle = '';
  for (let row = 0; row < vertices; row++) {
    if (adjacency.slice(row * vertices, row * vertices + row + 1).includes('1')) {
      throw wrong('has an edge that goes backwards');
    }
    triangle += adjacency.slice(row * vertices + row + 1, (row + 1) * vertices);
  }
  return `${vertices}:${triangle}:${ops.slice(1, -1).join(',')}`;
}

/** model_metrics.proto: ModelMetrics { repeated EvaluationData = 1; int32 trainable_parameters = 2; double = 3 }. */
function modelMetrics(base64: string): { parameters: number; final: Final } {
  const evaluations: Final[] = [];
  let parameters = Number.NaN;
  const reader = wireReader(base64);
  fields(reader, reader.source.size, (field, wireType) => {
    if (field === 1 && wireType === BYTES) {
      const length = reader.uint();
      evaluations.push(evaluation(reader, reader.offset + length));
    } else if (field === 2 && wireType === VARINT) parameters = reader.int32();
    else skip(reader, wireType);
  });
  const final = evaluations[FINAL];
  if (final === undefined) throw wrong(`has ${evaluations.length} evaluations where three belong`);
  return { parameters, final };
}

/** EvaluationData { double epoch = 1, training_time = 2, train, validation, test accuracy = 3, 4, 5; string = 6 }. */
function evaluation(reader: WireReader, end: number): Final {
  const doubles = [0, 0, 0, 0, 0, 0];
  fields(reader, end, (field, wireType) => {
    if (wireType === FIXED64 && field < doubles.length) doubles[field] = reader.double();
    else skip(reader, wireType);
  });
  return [doubles[4]!, doubles[5]!, doubles[3]!, doubles[2]!];
}

function fields(reader: WireReader, end: number, read: (field: number, wireType: number) => void): void {
  if (end > reader.source.size) throw wrong('has metrics that end early');
  while (reader.offset < end) {
    const tag = reader.uint();
    read(Math.floor(tag / 8), tag % 8);
  }
  if (reader.offset > end) throw wrong('has metrics that are damaged');
}

function skip(reader: WireReader, wireType: number): void {
  if (wireType === VARINT) reader.int64();
  else if (wireType === FIXED64) reader.bytes(8);
  else if (wireType === FIXED32) reader.bytes(4);
  else if (wireType === BYTES) reader.bytes(reader.uint());
  else throw wrong('has metrics that are damaged');
}

function wireReader(base64: string): WireReader {
  let binary: string;
  try {
    binary = atob(base64);
  } catch {
    throw wrong('has metrics that are not base64');
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return new WireReader(new MemorySource(bytes));
}
