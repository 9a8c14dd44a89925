// Benchmark tables: what others import of this folder.
export { csvOf } from './formats/csv.js';
export { gzip } from './formats/gzip.js';
export { jsonlOf } from './formats/jsonl.js';
export { LAYOUTS, type Layout } from './importers/layouts.js';
export { type ReadTableOptions, readTable } from './importers/read-table.js';
export { meaningOf, type NamedMeaning } from './label-names.js';
export {
  type LabelRequest,
  labelText,
  parseLabel,
  parseLabels,
  type ResolvedLabel,
  resolveLabel,
} from './label-options.js';
export type { PlainTable } from './metadata.js';
export { longBy, type Pivoted, pivot } from './pivot.js';
export type { SkippedRow, TableRules } from './rules.js';
export { type DefaultSplit, defaultSplit } from './splits/default-split.js';
export { ArchDigests, type ArchKey, digestsOf, isSeen, tableDigest } from './splits/digests.js';
export { type Groups, groupedFolds, groupedSplit, groupsBy, withoutDoubles } from './splits/group-splits.js';
export { type ReadSplit, readSplit, type SplitRecord } from './splits/split-record.js';
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
} from './splits/splits.js';
export { type Label, type LabelSummary, type LabelTransform, Table, type TableParts } from './table.js';
