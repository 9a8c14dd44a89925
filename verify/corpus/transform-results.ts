// What checking the transformations of a file gives.
export interface StepResult {
  readonly changes?: number;
  /** Of every output with that of the network before the step. */
  readonly cosines?: Readonly<Record<string, number>>;
  readonly outputs?: readonly string[];
  readonly error?: string;
}

export interface FileResult {
  readonly path: string;
  readonly steps: Readonly<Record<string, StepResult>>;
  /** Operators that run graphs, or are quantised, still. */
  readonly left: readonly string[];
  readonly error?: string;
}

/** The lowest cosine of a step; undefined where it was not compared. */
export function lowest(step: StepResult | undefined): number | undefined {
  const all = Object.values(step?.cosines ?? {});
  return all.length === 0 ? undefined : Math.min(...all);
}
