// Writing and training models: layers, losses, optimisers, schedules, the trainer (`auspex/nn`).
export { Builder, type Operand, Value } from '../ops/build.js';
export * from './attention.js';
export { type CheckpointStore, decodeCheckpoint } from './checkpoint.js';
export * from './convolution.js';
export * from './dropout.js';
export type { Every, FitOptions, FitResult, Progress } from './fit.js';
export * from './freeze.js';
export * from './graph.js';
export * from './initialise.js';
export * from './linear.js';
export * from './losses.js';
export * from './normalise.js';
export * from './optimiser.js';
export type { Curves, TrainingRecord, Validation } from './record.js';
export * from './recurrent.js';
export * from './schedules.js';
export { type Noise, type ParameterSpec, Scope, Trace } from './scope.js';
export {
  type BatchShapes,
  type Inputs,
  type Objective,
  type StepOptions,
  type TrainingStep,
  trace,
  trainingStep,
} from './step.js';
export * from './trainer.js';
