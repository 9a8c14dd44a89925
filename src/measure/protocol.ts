// What a measuring process is asked, and what it answers. It knows nothing of networks: it gets a file, tensors and settings.
import type { DataType } from '../graph/dtype.js';
import type { TypedArray } from '../runtime/session.js';
import type { StoppingRule } from './stopping.js';

export type Optimization = 'disabled' | 'basic' | 'extended' | 'all';

export interface RunSettings {
  readonly threads: number;
  readonly provider: string;
  readonly optimization: Optimization;
}

export interface WorkerRequest {
  /** The ONNX file. */
  readonly file: string;
  readonly inputs: Readonly<Record<string, WorkerTensor>>;
  readonly settings: RunSettings;
  readonly rule: StoppingRule;
  /** Measures memory instead of time: makes the session and runs it a few times. */
  readonly isForMemory?: boolean;
  /** Where the profile and the optimised model are written; no profile by default. */
  readonly profileFolder?: string;
}

export interface WorkerTensor {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly data: TypedArray;
}

/** Milliseconds by the clock, and of all processor cores together. */
export interface Time {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export type WorkerMessage =
  | { readonly kind: 'ready'; readonly runtime: string; readonly providers: readonly string[] }
  | ({ readonly kind: 'created' } & Time)
  | ({ readonly kind: 'first' } & Time)
  | { readonly kind: 'memory'; readonly memory: MeasuredMemory }
  | { readonly kind: 'warm'; readonly runs: number }
  | { readonly kind: 'runs'; readonly wallMs: readonly number[]; readonly cpuMs: readonly number[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly stage: 'create' | 'run'; readonly message: string };

/** Bytes more than before the session was made. */
export interface MeasuredMemory {
  /** Most, from then to the end of the first runs. */
  readonly peakBytes: number;
  /** Most, from when the session was ready, so without what loading takes for a moment. */
  readonly runningBytes: number;
  /** Most while the session was made. */
  readonly loadingBytes: number;
  /** When the session was ready. */
  readonly sessionBytes: number;
  /** Most until the end of each of the first runs. */
  readonly runBytes: readonly number[];
  /** Whether the kernel kept the peak; otherwise the resident set was looked at after each step. */
  readonly isExact: boolean;
}

export const PROFILE_PREFIX = 'profile';
export const OPTIMISED_FILE = 'optimised.onnx';
