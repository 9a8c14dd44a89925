// What the page and its worker say to each other: plain data that can be sent between threads.
import type { GivenFile } from './sources.js';

/** An error as the page shows it: the same as on the command line. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** File, node, operator, place in the file: in words. */
  readonly at: readonly string[];
  /** The node at fault, to point at. */
  readonly node?: string | undefined;
}

/** What is asked to be opened. */
export type Asked =
  | { readonly kind: 'files'; readonly files: readonly GivenFile[] }
  | { readonly kind: 'network'; readonly text: string };

/** Something that was opened: a network, a document, or a file that is neither. */
export type Opened =
  | { readonly kind: 'network'; readonly id: number; readonly name: string; readonly bytes: number }
  | { readonly kind: 'report'; readonly name: string; readonly report: Report; readonly url?: string }
  | { readonly kind: 'device'; readonly name: string; readonly text: string }
  | { readonly kind: 'profile'; readonly name: string; readonly profile: NodeTimes }
  | { readonly kind: 'problem'; readonly name: string; readonly problem: Problem };

/** Times of nodes, measured elsewhere or in the page. */
export interface NodeTimes {
  readonly title: string;
  readonly network: string;
  /** Milliseconds. */
  readonly times: Readonly<Record<string, number>>;
  /** What the machine can do, where that was measured, too. */
  readonly roofs?: Roofs;
}

/** The most that a machine computes, and the most that it moves. */
export interface Roofs {
  readonly flopsPerSecond: number;
  readonly bytesPerSecond: number;
}

/** A value for each row of `NodeTable`, computed when it was asked for, and how it was found. */
export interface NodeShares {
  readonly values: Float64Array;
  readonly how: string;
}

/** What measures in the page. */
export type Provider = 'wasm' | 'webgpu';

export const PROVIDER_TITLES: Readonly<Record<Provider, string>> = {
  wasm: 'wasm, 1 thread',
  webgpu: 'WebGPU',
};

/** Proxies that are sums over layers. */
export type LayerProxy = 'synflow' | 'snip';

/** A device, for choosing one. */
export interface NamedDevice {
  readonly name: string;
  readonly title: string;
}

/** Counts of nodes, in the order of `NodeTable`. */
export interface CountColumns {
  readonly macs: Float64Array;
  readonly flops: Float64Array;
  readonly parameters: Float64Array;
  readonly weightBytes: Float64Array;
  readonly activationBytes: Float64Array;
  readonly memoryAccessBytes: Float64Array;
}

export type CountName = keyof CountColumns;

export const COUNT_NAMES: readonly CountName[] = [
  'macs',
  'flops',
  'parameters',
  'weightBytes',
  'activationBytes',
  'memoryAccessBytes',
];

/** What is drawn: nodes and groups of a tree. Children have larger ids than their parents; the root is 0. */
export interface Tree {
  readonly kinds: readonly ItemKind[];
  /** What is written on an item, shortened. */
  readonly titles: readonly string[];
  /** The second line. */
  readonly details: readonly string[];
  readonly parents: Int32Array;
  /** For an operator, its row in `NodeTable`; −1 for others. */
  readonly rows: Int32Array;
  /** Of operators, their place in `OPERATOR_CLASSES`; 0 for others. */
  readonly classes: Uint8Array;
  /** Place in the order of running. */
  readonly order: Int32Array;
  /** Operators in a group. */
  readonly sizes: Int32Array;
  /** Pairs of items that are not groups: from, to. */
  readonly edges: Int32Array;
  /** What is on each edge: names and types of values. */
  readonly values: readonly string[];
  /** Groups that are open at first. */
  readonly open: readonly number[];
  /** Operators that are not drawn, as there are too many. */
  readonly omitted: number;
}

/** What operators do, for their colours. */
export const OPERATOR_CLASSES = [
  'other',
  'layer with weights',
  'activation',
  'normalisation',
  'pooling, reduction',
  'moves data',
  'arithmetic',
] as const;

export type ItemKind = 'root' | 'module' | 'repeat' | 'body' | 'operator' | 'input' | 'output';

export interface NodeTable {
  readonly names: readonly string[];
  readonly operators: readonly string[];
  readonly outputs: readonly string[];
  /** Module path, for the table by block. */
  readonly blocks: readonly string[];
  readonly counts: CountColumns;
  readonly isCounted: readonly boolean[];
}

export interface Totals extends Record<CountName, number> {
  readonly peakActivationBytes: number | undefined;
}

/** A size that can be changed. */
export interface Knob {
  /** `batch`, `x[2]`. */
  readonly name: string;
  readonly kind: 'batch' | 'resolution' | 'sequence' | 'other';
  readonly value: number;
  /** Whether the file leaves it open; others replace what the file says. */
  readonly isOpen: boolean;
}

export interface Timeline {
  /** Live bytes while each node runs; the rows of the nodes. */
  readonly bytes: Float64Array;
  readonly rows: Int32Array;
  readonly peak: number;
}

/** Everything that can be said of a network at some sizes without running it. */
export interface Described {
  readonly id: number;
  readonly name: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly inputs: readonly (readonly [name: string, type: string])[];
  readonly outputs: readonly (readonly [name: string, type: string])[];
  readonly nodes: NodeTable;
  readonly tree: Tree;
  readonly totals: Totals;
  /** Of open sizes: totals as polynomials. */
  readonly symbolic: Partial<Record<CountName, string>>;
  readonly knobs: readonly Knob[];
  readonly timeline: Timeline | undefined;
  readonly notes: readonly string[];
  /** Why shapes and counts are not known. */
  readonly problem?: Problem;
}

/** Counts at other sizes; the tree stays. */
export interface Resized {
  readonly counts: CountColumns;
  readonly outputs: readonly string[];
  readonly totals: Totals;
  readonly timeline: Timeline | undefined;
}

/** Sizes by the names of knobs. */
export type ChosenKnobs = Readonly<Record<string, number>>;

export interface NodeDetails {
  readonly name: string;
  readonly operator: string;
  readonly about: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly inputs: readonly ValueDetails[];
  readonly outputs: readonly ValueDetails[];
  readonly counting: string;
  readonly gradient: string;
  readonly documentation: string;
}

export interface ValueDetails {
  readonly role: string;
  readonly name: string;
  readonly type: string;
  /** Of a constant: its place in the file's constants. */
  readonly constant: boolean;
}

export interface WeightStatistics {
  readonly elements: number;
  readonly read: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly mean: number;
  readonly deviation: number;
  readonly zeros: number;
  readonly notFinite: number;
  readonly bins: readonly { readonly from: number; readonly to: number; readonly count: number }[];
}

export interface PredictedLabel {
  readonly label: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly value: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  readonly predictor: string;
  readonly recipe?: string | undefined;
  readonly distance?: number | undefined;
  readonly neighbours: readonly { readonly name: string; readonly distance: number }[];
  readonly errors?: { readonly mean: number; readonly most: number; readonly coverage: number } | undefined;
  readonly assumed: readonly string[];
}

export interface PredictedHere {
  readonly family?: string | undefined;
  readonly hash: string;
  readonly labels: readonly PredictedLabel[];
  readonly refused: readonly { readonly predictor: string; readonly problem: Problem }[];
  readonly needed?: string | undefined;
}

export interface ComparedHere {
  readonly verdict: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly {
    readonly a: string;
    readonly b: string;
    readonly differences: readonly string[];
  }[];
  readonly matched: number;
  readonly weights: { readonly compared: number; readonly equal: number; readonly absent: number };
  readonly costs: readonly { readonly name: string; readonly a: number; readonly b: number }[];
  /** What became of each row of the node tables. */
  readonly marksA: readonly Mark[];
  readonly marksB: readonly Mark[];
}

export type Mark = 'same' | 'changed' | 'added' | 'removed';

/** What a search, a pool of scores or an evaluation left behind. */
export type Report =
  | {
      readonly kind: 'search';
      readonly title: string;
      readonly space: string;
      readonly objectives: readonly {
        readonly name: string;
        readonly better: 'higher' | 'lower';
        readonly unit: string;
      }[];
      readonly trials: TrialColumns;
      readonly failed: number;
      /** Settings of architectures by column, where their texts have comparable parts. */
      readonly settings: readonly { readonly name: string; readonly values: readonly string[] }[];
      readonly importance: readonly { readonly name: string; readonly share: number }[];
    }
  | {
      readonly kind: 'scores';
      readonly title: string;
      readonly columns: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
      readonly networks: readonly string[];
      readonly failed: number;
    }
  | { readonly kind: 'evaluation'; readonly title: string; readonly document: unknown };

export interface TrialColumns {
  readonly index: Int32Array;
  readonly arch: readonly string[];
  readonly by: readonly string[];
  readonly seconds: Float64Array;
  /** One column per objective. */
  readonly values: readonly Float64Array[];
}

export interface MeasuredHere {
  readonly provider: Provider;
  readonly runs: number;
  readonly medianMs: number;
  readonly lowMs: number;
  readonly highMs: number;
  readonly firstMs: number;
}
