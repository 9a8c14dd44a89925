import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { encodeNpy } from '../inputs/npy.js';
import { codeOf } from '../util/errors.testing.js';
import { encodeNpz, type NpzEntry, readNpz } from './npz.js';

interface Golden {
  readonly arrays: Readonly<Record<string, { dims: number[]; data: (number | string)[] }>>;
  readonly npy: Readonly<Record<string, string>>;
  readonly compressed: string;
  readonly stored: string;
}

/** Made by verify/golden/io_data.py with NumPy. */
const golden: Golden = JSON.parse(readFileSync(new URL('./fixtures/npz.json', import.meta.url), 'utf8'));

const folder = mkdtempSync(join(tmpdir(), 'auspex-npz-'));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
function fileOf(bytes: Uint8Array): string {
  const path = join(folder, `${made++}.npz`);
  writeFileSync(path, bytes);
  return path;
}

const { floats, bytes, places, texts } = golden.arrays as Record<string, { dims: number[]; data: number[] }>;
const entries: Readonly<Record<string, NpzEntry>> = {
  floats: { dims: floats!.dims, data: Float32Array.from(floats!.data) },
  bytes: { dims: bytes!.dims, data: Uint8Array.from(bytes!.data) },
  places: { dims: places!.dims, data: Int32Array.from(places!.data) },
  texts: { dims: texts!.dims, data: texts!.data as unknown as string[] },
};

function expectGolden(path: string): void {
  const npz = readNpz(path);
  for (const [name, { dims, data }] of Object.entries(entries)) {
    if (name === 'texts') expect(npz.texts(name)).toEqual(data);
    else expect(npz.array(name)).toEqual({ dims, data });
  }
}

describe('archives of arrays', () => {
  it.each(Object.keys(entries))('writes %s in the bytes of NumPy', (name) => {
    const { dims, data } = entries[name]!;
    expect(encodeNpy(dims, data).toString('base64')).toBe(golden.npy[name]);
  });

  it('reads what NumPy wrote, packed or not', () => {
    expectGolden(fileOf(Buffer.from(golden.compressed, 'base64')));
    expectGolden(fileOf(Buffer.from(golden.stored, 'base64')));
  });

  it('reads what it wrote, the same bytes every time', () => {
    expectGolden(fileOf(encodeNpz(entries)));
    expect(encodeNpz(entries)).toEqual(encodeNpz(entries));
  });

  it('refuses what is not an archive, or is damaged', () => {
    const whole = encodeNpz(entries);
    expect(codeOf(() => readNpz(fileOf(Buffer.from('no archive'))))).toBe('NPZ_FORMAT');
    expect(codeOf(() => readNpz(fileOf(whole.subarray(0, whole.length - 30))))).toBe('NPZ_FORMAT');
    expect(codeOf(() => readNpz(fileOf(whole)).array('other'))).toBe('NPZ_FORMAT');
    expect(codeOf(() => readNpz(fileOf(whole)).texts('floats'))).toBe('NPZ_FORMAT');
    const changed = Buffer.from(whole);
    changed.fill(0xff, 60, 90);
    expect(codeOf(() => expectGolden(fileOf(changed)))).toMatch(/^NP[YZ]_FORMAT$/);
  });
});
