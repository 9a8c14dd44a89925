// The test models on disk. A suite is a folder of tests; a test is a folder with `model.onnx` and one or more
// `test_data_set_N` with the values that go in and come out: the layout of the onnx project.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Model, ValueInfo } from '../../src/graph/graph.js';
import type { ValueType } from '../../src/graph/types.js';
import { decodeValue, type Value } from '../../src/onnx/value.js';

/** Where the Debian package libonnx-testdata puts its files. */
export const DEFAULT_DATA = '/usr/share/libonnx-testdata/data';

export interface TestModel {
  readonly suite: string;
  readonly name: string;
  readonly folder: string;
}

export interface DataSet {
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
}

/** How a test is called in reports and lists: `node/test_abs`. */
export function testId(test: TestModel): string {
  return `${test.suite}/${test.name}`;
}

/** All tests below a folder, which is either a suite itself or holds several. */
export function findTests(root: string): TestModel[] {
  const own = testsOf(root);
  if (own.length > 0) return own;
  return folders(root).flatMap((suite) => testsOf(join(root, suite)));
}

function testsOf(suite: string): TestModel[] {
  return folders(suite)
    .map((name) => ({ suite: basename(suite), name, folder: join(suite, name) }))
    .filter(({ folder }) => existsSync(join(folder, 'model.onnx')));
}

function folders(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** The inputs a caller gives values to. Models before IR 4 list their weights as inputs as well. */
export function freeInputs({ graph }: Model): ValueInfo[] {
  return graph.inputs.filter(({ name }) => !graph.initializers.has(name));
}

/** The data sets of a test. What kind of value a file holds follows from the model's declared types. */
export function readDataSets(test: TestModel, model: Model): DataSet[] {
  return folders(test.folder)
    .filter((name) => name.startsWith('test_data_set_'))
    .map((name) => ({
      inputs: readValues(join(test.folder, name), 'input', freeInputs(model)),
      outputs: readValues(join(test.folder, name), 'output', model.graph.outputs),
    }));
}

function readValues(folder: string, prefix: string, declared: readonly ValueInfo[]): Value[] {
  return declared.map(({ type }, i) => {
    return asDeclared(decodeValue(readFileSync(join(folder, `${prefix}_${i}.pb`)), type.kind), type);
  });
}

/** The tests of ONNX 1.12 keep bfloat16 data in tensors that call themselves uint16; the bits are right. */
function asDeclared(value: Value, declared: ValueType): Value {
  const isMislabelled =
    value.kind === 'tensor' &&
    value.tensor.dtype === 'uint16' &&
    declared.kind === 'tensor' &&
    declared.dtype === 'bfloat16';
  return isMislabelled ? { ...value, tensor: { ...value.tensor, dtype: 'bfloat16' } } : value;
}
