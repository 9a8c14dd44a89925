// Which files a given one brings with it: its weights in its own folder, and nothing that links or `..` lead to.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GivenFiles } from './given-files.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-given-'));
const given = join(folder, 'given');

/** A field of a message: a text or another message. */
function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

/** A model of one constant, whose data is said to be elsewhere. */
function modelWith(location: string): Buffer {
  const entry = Buffer.concat([field(1, 'location'), field(2, location)]);
  const tensor = Buffer.concat([
    ...[Buffer.from([8, 1, 16, 1]), field(8, 'w'), field(13, entry), Buffer.from([14 << 3, 1])],
  ]);
  return Buffer.concat([Buffer.from([8, 8]), field(7, field(5, tensor)), field(8, Buffer.from([16, 17]))]);
}

/** Names of what is served for a model with its data at a place. */
function served(location: string): string[] {
  const path = join(given, 'net.onnx');
  writeFileSync(path, modelWith(location));
  return new GivenFiles().add(path).map(({ name }) => name);
}

describe('given files', () => {
  beforeAll(() => {
    mkdirSync(join(given, 'weights'), { recursive: true });
    for (const path of ['secret.bin', 'given/net.bin', 'given/weights/more.bin'])
      writeFileSync(join(folder, path), '1234');
    symlinkSync(join(folder, 'secret.bin'), join(given, 'link.bin'));
    symlinkSync(join(folder, 'secret.bin'), join(given, 'trials.jsonl'));
    symlinkSync(folder, join(given, 'up'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([['net.bin'], ['weights/more.bin'], ['weights/../net.bin']])('bring weights at %s', (location) => {
    expect(served(location)).toEqual(['net.onnx', location.split('/').at(-1)]);
  });

  it.each([
    ['../secret.bin'],
    ['weights/../../secret.bin'],
    ['link.bin'],
    ['up/secret.bin'],
    [join(folder, 'secret.bin')],
    ['missing.bin'],
    ['weights'],
    ['.'],
    [''],
  ])('do not bring %s', (location) => {
    expect(served(location)).toEqual(['net.onnx']);
  });

  it('of a folder do not follow links', () => {
    expect(new GivenFiles().add(given).map(({ name }) => name)).toEqual(['net.onnx']);
  });
});
