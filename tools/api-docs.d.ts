export interface ApiEntry {
  readonly subpath: string;
  readonly name: string;
  readonly signature: string;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly fields: readonly { readonly name: string; readonly type: string; readonly about: string }[];
  readonly throws: readonly string[];
  readonly examples: readonly string[];
}

export function apiEntries(subpaths: readonly string[]): ApiEntry[];
export function apiDocs(): string;
