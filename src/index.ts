// The library for Node: what runs everywhere, and models on disk.
export { readModel, type WriteOptions, writeModel } from './onnx/file.js';
export { checkpointFile } from './store/checkpoint-file.js';
export {
  type ReadTableFileOptions,
  readTableFile,
  type TableFormat,
  writeTableFile,
} from './store/table-file.js';
export * from './web.js';
