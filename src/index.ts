// The library for Node: what runs everywhere, and models on disk.

export { type NpyArray, readNpy } from './inputs/npy.js';
export { readModel, type WriteOptions, writeModel } from './onnx/file.js';
export { checkpointFile } from './store/checkpoint-file.js';
export { type CommandOptions, commandEvaluator } from './store/command-evaluator.js';
export {
  type ReadTableFileOptions,
  readTableFile,
  type TableFormat,
  writeTableFile,
} from './store/table-file.js';
export { TrialLog, type TrialLogOptions } from './store/trial-log.js';
export * from './web.js';
