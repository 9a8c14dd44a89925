import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  differences,
  digestOf,
  fileDigest,
  fingerprint,
  fingerprintOf,
  recipeSettings,
} from './fingerprint.js';

describe('a fingerprint', () => {
  const before = fingerprintOf(
    { '--label': ['acc'], '--model': { width: 8, layers: 2 } },
    { '--data': 'aa' },
  );

  it('is the same for the same settings, in any order, and after JSON', () => {
    const again = fingerprintOf(
      { '--model': { layers: 2, width: 8 }, '--scratch': undefined, '--label': ['acc'] },
      { '--data': 'aa' },
    );
    expect(differences(before, again)).toEqual([]);
    expect(fingerprint.parse(JSON.parse(JSON.stringify(before)))).toEqual(before);
  });

  it('names every flag that differs', () => {
    const now = fingerprintOf(
      { '--label': ['ms'], '--model': { width: 8, layers: 2 }, '--from': '12ab' },
      { '--data': 'bb' },
    );
    expect(differences(before, now)).toEqual([
      '--label differs: was ["acc"], is ["ms"]',
      '--from differs: was not given, is "12ab"',
    ]);
  });

  it('names data only where all settings are the same, because settings choose data', () => {
    const now = { ...before, data: { '--data': 'bb' } };
    expect(differences(before, now)).toEqual(['--data differs: its content has changed']);
  });

  it('takes all of a recipe', () => {
    const recipe = { steps: 3, members: 1, batch: 2, rate: 0.1, model: {}, loss: { rank: 1 }, emaDecay: 0.9 };
    const other = { ...recipe, emaDecay: 0.99 };
    const of = (r: object) => fingerprintOf(recipeSettings('gcn', r));
    expect(differences(of(recipe), of(other))).toEqual([
      expect.stringMatching(/^the recipe differs: .*0\.99/),
    ]);
  });
});

describe('digests', () => {
  it('are SHA-256, and know where parts end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'auspex-digest-'));
    writeFileSync(join(folder, 'abc'), 'abc');
    // The example of FIPS 180-2.
    expect(await fileDigest(join(folder, 'abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    rmSync(folder, { recursive: true });
    expect(digestOf(['ab', 'c'])).not.toBe(digestOf(['a', 'bc']));
    expect(digestOf(['ab'])).toBe(digestOf([Buffer.from('ab')]));
  });
});
