// Benchmark tables: what others import of this folder.
export { csvOf } from './csv.js';
export { type DefaultSplit, defaultSplit } from './default-split.js';
export { ArchDigests, type ArchKey, digestsOf, isSeen, tableDigest } from './digests.js';
export { type Groups, groupedFolds, groupedSplit, groupsBy, withoutDoubles } from './group-splits.js';
export { gzip } from './gzip.js';
export { LAYOUTS, type Layout } from './importers/layouts.js';
export { type ReadTableOptions, readTable } from './importers/read-table.js';
export { jsonlOf } from './jsonl.js';
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
export { type ReadSplit, readSplit, type SplitRecord } from './split-record.js';
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
export { type Label, type LabelSummary, type LabelTransform, Table, type TableParts } from './table.js';
