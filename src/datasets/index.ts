// Benchmark tables: what others import of this folder.
export { csvOf } from './csv.js';
export { gzip } from './gzip.js';
export { LAYOUTS, type Layout } from './importers/layouts.js';
export { type ReadTableOptions, readTable } from './importers/read-table.js';
export { jsonlOf } from './jsonl.js';
export type { PlainTable } from './metadata.js';
export {
  type FamilySizes,
  type FoldOptions,
  familySplit,
  familySplits,
  firstSplit,
  foldSplits,
  randomSplit,
  type SeededSizes,
  type Sizes,
  type Split,
  sizeSplit,
} from './splits.js';
export { type Label, type LabelSummary, Table, type TableParts } from './table.js';
