// What tests of `auspex data` share: a folder with made-up tables, and the command as built, run as a user would.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect } from 'vitest';
import { z } from 'zod';
import { DATA_DOCUMENTS } from '../src/app/documents/data.js';
import { nasBench101 } from '../src/spaces/cells/nasbench101.js';
import { Random } from '../src/util/random.js';
import { warmRun } from './warm.testing.js';

const ROOT = resolve(import.meta.dirname, '..');
export const FIXTURES = join(ROOT, 'src/datasets/fixtures');

export function expectNarrow(text: string): void {
  for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
}

/** Different cells of NAS-Bench-101: 40 of four vertices, 60 of five. */
function differentCells(vertices: number, count: number): string[] {
  const random = Random.seeded(1);
  const found = new Set<string>();
  while (found.size < count) {
    const text = nasBench101.format(nasBench101.sample(random));
    if (text.startsWith(`${vertices}:`)) found.add(text);
  }
  return [...found];
}
export const TEXTS = [...differentCells(4, 40), ...differentCells(5, 60)];
export const CELLS = TEXTS.map((text, i) => {
  const [vertices, adjacency, ops] = text.split(':');
  return `${i},${vertices},${adjacency},${ops!.replaceAll(',', ' ')},${1000 + i},${i < 40 ? `0.${500 + i}` : ''}`;
});
export const A = '|nor_conv_3x3~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|none~2|';
export const B = '|nor_conv_1x1~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|none~2|';
/** Another text for the function of A. */
export const SAME_AS_A = '|nor_conv_3x3~0|+|none~0|skip_connect~1|+|none~0|none~1|nor_conv_3x3~2|';

/** A folder with tables, which is removed in the end, and the command run there. */
export function dataFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-data-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const at = (name: string): string => join(folder, name);

  function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
    return warmRun(['data', ...args], { cwd: folder });
  }

  /** The document of a command, as its schema has it. */
  function json(...args: string[]) {
    const { status, stdout, stderr } = run(...args, '--json');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const document = JSON.parse(stdout);
    const schema = z.object(DATA_DOCUMENTS[args[0] as keyof typeof DATA_DOCUMENTS].shape).strict();
    expect(schema.parse(document)).toEqual(document);
    return document;
  }

  function file(name: string, content: string | Uint8Array): string {
    writeFileSync(at(name), content);
    return at(name);
  }
  file('cells.csv', `hash,vertices,adjacency,ops,params,test_accuracy\n${CELLS.join('\n')}\n`);
  file('mine.csv', `net,acc,ms\n${A},91.5,3\n${B},,4.25\n`);
  return { folder, at, run, json, file };
}
