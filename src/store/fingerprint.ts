// A fingerprint of all that decides the result of long work: settings by the names of their flags, and digests of data.
// Work that is resumed must have the same one; where it differs, the flags are named.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as z from 'zod';
import { printableStart } from '../util/printable.js';

export const fingerprint = z.object({
  /** As JSON, by flag: `--label`, `--steps`. */
  settings: z.record(z.string(), z.string()),
  /** Digests of what follows from the settings and from files, by flag: only looked at where all settings are the same. */
  data: z.record(z.string(), z.string()),
});
export type Fingerprint = z.infer<typeof fingerprint>;

/**
 * @param settings values that JSON can hold; what is undefined counts as not given
 * @example
 * fingerprintOf({ '--steps': 100 }, { '--data': digestOf([text]) });
 */
export function fingerprintOf(
  settings: Readonly<Record<string, unknown>>,
  data: Readonly<Record<string, string>> = {},
): Fingerprint {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return { settings: Object.fromEntries(given.map(([flag, value]) => [flag, sortedJson(value)])), data };
}

/** What a recipe decides, by flag; what no flag is for is called the recipe. */
export function recipeSettings(predictor: string, recipe: object): Readonly<Record<string, unknown>> {
  const { steps, members, batch, rate, model, ...rest } = recipe as Readonly<Record<string, unknown>>;
  return {
    'the predictor': predictor,
    '--steps': steps,
    '--members': members,
    '--batch': batch,
    '--rate': rate,
    '--model': model,
    'the recipe': rest,
  };
}

/** A sentence for every flag that differs, such as `--label differs: was "acc", is "ms"`; none where both are the same. */
export function differences(before: Fingerprint, now: Fingerprint): string[] {
  const settings = flagsThatDiffer(before.settings, now.settings).map((flag) => {
    const [was, is] = [before, now].map(({ settings: all }) => printableStart(all[flag] ?? 'not given', 80));
    return `${flag} differs: was ${was}, is ${is}`;
  });
  if (settings.length > 0) return settings;
  return flagsThatDiffer(before.data, now.data).map((flag) => `${flag} differs: its content has changed`);
}

function flagsThatDiffer(before: Record<string, string>, now: Record<string, string>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (flag) => before[flag] !== now[flag],
  );
}

/** JSON that does not depend on the order of keys. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** SHA-256 of texts and bytes, in this order; where one ends and the next begins counts. */
export function digestOf(parts: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(`${Buffer.byteLength(part)}:`);
    hash.update(part);
  }
  return hash.digest('hex');
}

/** SHA-256 of a file's bytes. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
