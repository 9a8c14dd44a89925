// Files of folders and of patterns (`nets/*.onnx`, `**/v?.onnx`), each list sorted. Node 20 has no glob of its own.
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { unreadable } from '../onnx/file.js';

const ONNX_FILE = /\.onnx$/i;

/** Whether a text has the characters of a pattern. */
export function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

export function isFile(path: string): boolean {
  return kindOf(path) === 'file';
}

export function isFolder(path: string): boolean {
  return kindOf(path) === 'folder';
}

/** The same for many texts, most of which are no paths: a plain name is looked up among those of the working folder. */
export function folderTest(): (path: string) => boolean {
  let names: ReadonlySet<string> | undefined;
  return (path) => {
    if (/[/\\]|^\.+$/.test(path)) return isFolder(path);
    names ??= namesIn('.');
    return names.has(path) && isFolder(path);
  };
}

function namesIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch {
    return new Set();
  }
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    // Pipes and devices are read like files.
    return found.isDirectory() ? 'folder' : 'file';
  } catch {
    // No path at all: too long, a NUL character, a folder that may not be searched.
    return undefined;
  }
}

/** The ONNX files of a folder and its subfolders. */
export function onnxFilesIn(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (isFolderEntry(entry, path)) return entry.isDirectory() ? onnxFilesIn(path) : [];
    return ONNX_FILE.test(entry.name) ? [path] : [];
  });
}

/**
 * Files that match a pattern: `*` and `?` stand for characters of one name, `**` for any number of folders. Folders that
 * match give their ONNX files. Where the last part names no ending, only ONNX files match.
 */
export function globFiles(pattern: string): string[] {
  const parts = pattern.split(sep === '\\' ? /[\\/]/ : '/').filter((part, i) => part !== '' || i === 0);
  const isAbsolute = parts[0] === '';
  const isAny = /\.[^*?]+$/.test(parts.at(-1) ?? '');
  const found = new Set(matches(isAbsolute ? sep : '', isAbsolute ? parts.slice(1) : parts));
  const files = [...found].flatMap((path) => (isFolder(path) ? onnxFilesIn(path) : [path]));
  return [...new Set(files)].filter((path) => isAny || ONNX_FILE.test(path)).sort();
}

function* matches(folder: string, [part, ...rest]: readonly string[]): Generator<string> {
  if (part === undefined) {
    yield folder;
    return;
  }
  if (!isPattern(part)) {
    const path = join(folder, part);
    if (rest.length > 0 ? isFolder(path) : kindOf(path) !== undefined) yield* matches(path, rest);
    return;
  }
  const name = new RegExp(`^${[...part].map(expression).join('')}$`, 'u');
  if (part === '**') yield* matches(folder, rest.length > 0 ? rest : ['*']);
  for (const entry of entriesOf(folder === '' ? '.' : folder)) {
    const path = join(folder, entry.name);
    if (part === '**') {
      if (entry.isDirectory() && !entry.name.startsWith('.')) yield* matches(path, [part, ...rest]);
    } else if (name.test(entry.name) && (part.startsWith('.') || !entry.name.startsWith('.'))) {
      if (rest.length === 0 || isFolderEntry(entry, path)) yield* matches(path, rest);
    }
  }
}

function expression(character: string): string {
  if (character === '*') return '.*';
  return character === '?' ? '.' : character.replace(/[\\^$+.()|[\]{}/-]/, '\\$&');
}

function isFolderEntry(entry: Dirent, path: string): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path));
}

/** Entries of a folder by name. Throws FILE_UNREADABLE. */
function entriesOf(folder: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}
