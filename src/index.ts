// The library for Node: what runs everywhere, and what needs files or processes.
import './api/disk.js';

export * from './web.js';

// # Networks

export { type WriteOptions, writeModel } from './onnx/file.js';

// # Predictions

export { type BundledPredictor, bundledPredictors } from './api/on-disk.js';

// # Tables

export { writeTable } from './api/on-disk.js';

// # Search

export { type CommandEvaluatorOptions, fromCommand } from './api/on-disk.js';
