// From what a user names to networks: references in any form (texts of spaces, paths, edits of files, folders, patterns,
// lines of a file or of standard input, a table's column) become one list, whose networks are made when asked for.
import type { Table } from '../datasets/table.js';
import { lazily, type Network, type Networks, ONNX, Resolver, type Sizes } from '../networks/index.js';
import { readModel } from '../onnx/file.js';
import { SPACES, spaceNamed } from '../spaces/index.js';
import { AuspexError } from '../util/errors.js';
import { folderTest, globFiles, isFile, isFolder, isPattern, onnxFilesIn } from './glob.js';
import { linesTogether } from './lines.js';
import { PREFERRED_SPACES } from './preferred-spaces.js';

/** Standard input, as a reference or in the place of a file. */
const STANDARD_INPUT = '-';

/** Up to so many networks are kept once they are made: more could hold too many files open, and too much memory. */
const MOST_KEPT = 16;

interface ListOptions {
  /** A file with references, one a line; `-` is standard input. */
  readonly input?: string | undefined;
  /** What `-` reads; the process's own by default. */
  readonly stdin?: NodeJS.ReadableStream | undefined;
}

export interface ReferenceOptions extends ListOptions {
  /** The space of texts that do not name theirs; `onnx` if they are paths. */
  readonly space?: string | undefined;
  /** Sizes of all networks. */
  readonly sizes?: Sizes | undefined;
  /** A table, or the path of one, whose architectures follow the others. */
  readonly table?: Table | string | undefined;
  /** Recognises texts and opens files; one that reads from the disk by default. */
  readonly resolver?: Resolver | undefined;
}

/** Networks with what they were called by the user. Asking for one may throw; the others do not depend on it. */
export interface NamedNetworks extends Networks {
  /** As it was given: a text, a path. */
  name(row: number): string;
}

interface Place {
  /** `-` is standard input. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

interface Reference {
  readonly ref: string;
  readonly place?: Place;
}

/** Networks of references, with what can be told of them without opening any. */
export interface OpenedReferences extends NamedNetworks {
  /** The file and the line that name a network, where it was given in one. */
  place(row: number): Place | undefined;
  /** Paths of the files that they are read from. */
  files(): Iterable<string>;
  /** Whether some are files, edited or not, and whether some are architectures of a space. */
  kinds(): { readonly hasFiles: boolean; readonly hasArchitectures: boolean };
}

/** What reads tables of all formats is loaded only where there is one. */
async function tableIn(path: string): Promise<Table> {
  const { readTableFile } = await import('../store/table-file.js');
  return readTableFile(path);
}

/** A resolver of files on the disk. */
export function diskResolver(options: { readonly isKeptOpen?: boolean } = {}): Resolver {
  return new Resolver({ open: (path) => readModel(path, options), isFile, preferred: PREFERRED_SPACES });
}

/** Whether a reference is the path of a file, be it that there is none. */
export function isPath(ref: string): boolean {
  return !hasPrefix(ref) && (/\.onnx$/i.test(ref) || isFile(ref));
}

/**
 * The networks of references. All are listed at once, so that their number is known; files are opened and texts parsed
 * when a network is asked for, so that one bad reference is the error of one network.
 *
 * @throws AuspexError BAD_OPTION if there are none, NETWORKS_NONE, SPACE_UNKNOWN, FILE_UNREADABLE, and what reading a
 * table throws
 * @example
 * const networks = await openReferences(['nets/', 'nasbench201:|…|'], { sizes: { batch: 1 } });
 * networks.name(0); // 'nets/a.onnx'
 * networks.at(0).cost();
 */
export async function openReferences(
  refs: readonly string[],
  options: ReferenceOptions = {},
): Promise<OpenedReferences> {
  const { space, sizes = {}, table } = options;
  if (space !== undefined && space !== ONNX) spaceNamed(space);
  const references: Reference[] = [];
  for await (const some of referencesTogether(refs, options)) for (const one of some) references.push(one);
  const listed = references.map(({ ref }) => ref);
  const column = typeof table === 'string' ? await tableIn(table) : table;
  const count = listed.length + (column?.rows ?? 0);
  if (count === 0) {
    throw new AuspexError('BAD_OPTION', 'no networks were given', {
      ...(options.input === undefined ? {} : { where: { file: options.input } }),
      hint: 'give ONNX files, folders, or architectures of a space; --help shows examples',
    });
  }
  const isShort = count <= MOST_KEPT;
  const resolver = options.resolver ?? diskResolver({ isKeptOpen: isShort });
  const name = (row: number): string => listed[row] ?? column!.arch(row - listed.length);
  const held: { file?: Network } = {};
  const make = (row: number): Network => {
    const ref = listed[row];
    if (ref !== undefined) {
      // Held, or the file of a thousand edits could be opened for each of them.
      if (ref.startsWith(`${ONNX}:`)) held.file = resolver.network(ref.split('#')[0]!);
      return resolver.network(ref, { sizes, ...(space === undefined ? {} : { space }) });
    }
    // With the name of its space a text is not looked for on the disk: tables have 400,000 of them.
    const text = column!.space === ONNX ? name(row) : `${column!.space}:${name(row)}`;
    return resolver.network(text, { sizes, space: column!.space });
  };
  const fileOf = (ref: string): string | undefined =>
    ref.startsWith(`${ONNX}:`)
      ? ref.slice(ONNX.length + 1).split('#')[0]!
      : isPath(ref) || (space === ONNX && !hasPrefix(ref))
        ? ref
        : undefined;
  return {
    ...lazily(
      count,
      placed(isShort ? keeping(make) : make, (row) => references[row]?.place),
    ),
    name,
    place: (row) => references[row]?.place,
    *files() {
      for (const ref of listed) {
        const file = fileOf(ref);
        if (file !== undefined) yield file;
      }
      if (column?.space === ONNX) yield* column.architectures;
    },
    kinds() {
      const isFiles = column?.space === ONNX;
      const hasFiles = isFiles || listed.some((ref) => fileOf(ref) !== undefined);
      const isOther = column !== undefined && !isFiles;
      return { hasFiles, hasArchitectures: isOther || listed.some((ref) => fileOf(ref) === undefined) };
    },
  };
}

/**
 * References one by one, as they come: folders and patterns are replaced by their files, `-` and `input` by their lines.
 *
 * @throws AuspexError NETWORKS_NONE for a folder or a pattern without files, FILE_UNREADABLE
 */
export async function* listReferences(
  refs: readonly string[],
  options: ListOptions,
): AsyncGenerator<Reference> {
  for await (const some of referencesTogether(refs, options)) yield* some;
}

async function* referencesTogether(
  refs: readonly string[],
  { input, stdin }: ListOptions,
): AsyncGenerator<readonly Reference[]> {
  for (const ref of refs) {
    if (ref === STANDARD_INPUT) yield* referencesIn(ref, stdin);
    else yield listedFiles(ref).map((each) => ({ ref: each }));
  }
  if (input !== undefined) yield* referencesIn(input, stdin);
}

async function* referencesIn(
  file: string,
  stdin: NodeJS.ReadableStream | undefined,
): AsyncGenerator<readonly Reference[]> {
  let line = 0;
  const isListedFolder = folderTest();
  for await (const texts of linesTogether(file, stdin)) {
    const found: Reference[] = [];
    for (const text of texts) {
      const place = { file, line: ++line };
      const ref = text.trim();
      if (ref !== '') for (const each of listedFiles(ref, isListedFolder)) found.push({ ref: each, place });
    }
    yield found;
  }
}

/** The files of a folder or of a pattern; any other reference as it is. @throws AuspexError NETWORKS_NONE */
export function listedFiles(ref: string, isOfFolder = isFolder): readonly string[] {
  if (hasPrefix(ref)) return [ref];
  if (isOfFolder(ref)) return filled(ref, onnxFilesIn(ref), 'the folder has no ONNX files');
  if (isPattern(ref) && !isFile(ref)) return filled(ref, globFiles(ref), 'no file matches the pattern');
  return [ref];
}

function filled(ref: string, files: readonly string[], otherwise: string): readonly string[] {
  if (files.length > 0) return files;
  throw new AuspexError('NETWORKS_NONE', otherwise, {
    where: { file: ref },
    hint: 'folders are searched for *.onnx; in patterns, * and ? match characters and ** matches folders',
  });
}

/** Whether a reference says what it is: `nasbench201:…`, `onnx:net.onnx#…`. */
function hasPrefix(ref: string): boolean {
  const [, prefix] = /^([\w-]+):/.exec(ref) ?? [];
  return prefix !== undefined && (prefix === ONNX || SPACES.some(({ name }) => name === prefix));
}

/** What is wrong with a text is wrong in the line that names it; a file speaks for itself. */
function placed(
  make: (row: number) => Network,
  placeOf: (row: number) => Place | undefined,
): (row: number) => Network {
  return (row) => {
    try {
      return make(row);
    } catch (error) {
      const place = placeOf(row);
      if (!(error instanceof AuspexError) || place === undefined || error.where.file !== undefined)
        throw error;
      throw error.within({ file: place.file, path: `line ${place.line}` });
    }
  };
}

function keeping(make: (row: number) => Network): (row: number) => Network {
  const kept = new Map<number, Network>();
  return (row) => {
    const network = kept.get(row) ?? make(row);
    kept.set(row, network);
    return network;
  };
}
