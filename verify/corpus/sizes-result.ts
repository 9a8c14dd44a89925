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
  /** Another batch once converted to opset 17 and floats; of files with a fixed batch. */
  converted?: Step;
}
