// The library for Node: everything that has a promise of stability.
export { readModel, writeModel, type WriteOptions } from './onnx/file.js';
export { decodeModel, type ReadOptions } from './onnx/read.js';
export { encodeModel } from './onnx/write.js';
export { inferShapes, type Inference, type InferOptions } from './analysis/infer.js';
export { AuspexError } from './util/errors.js';
