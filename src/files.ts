// `auspex/files`: files beside models, tables and predictors, which `auspex` reads itself. Node only.
export { type NpyArray, readNpy } from './inputs/npy.js';
export { checkpointFile } from './store/checkpoint-file.js';
export { type CommandOptions, commandEvaluator } from './store/command-evaluator.js';
export {
  type ReadTableFileOptions,
  readTableFile,
  type TableFormat,
  writeTableFile,
} from './store/table-file.js';
export { TrialLog, type TrialLogOptions } from './store/trial-log.js';
