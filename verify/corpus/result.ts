// What a check of one file found.

export interface Step {
  readonly isDone: boolean;
  /** Of an error. */
  readonly code?: string;
  readonly what: string;
}

export interface FileResult {
  readonly file: string;
  /** Whether its inputs fix the batch. */
  readonly isFixed?: boolean;
  sizes?: Step;
  runs?: Step;
  batch?: Step;
  open?: Step;
}
