import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { linesOf, linesTogether } from './lines.js';

const TEXT = 'a\r\nbé\n\nc\rd\r';
const LINES = ['a', 'bé', '', 'c', 'd'];

it.each([1, 2, 3, 100])('lines are the same, wherever the bytes are cut: every %i', async (size) => {
  const bytes = Buffer.from(TEXT);
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
  const found: string[] = [];
  for await (const line of linesOf('-', Readable.from(parts))) found.push(line);
  expect(found).toEqual(LINES);
});

it('lines that have arrived come together', async () => {
  const found: (readonly string[])[] = [];
  for await (const lines of linesTogether('-', Readable.from(['a\nb\nc', 'd\n']))) found.push(lines);
  expect(found).toEqual([['a', 'b'], ['cd']]);
});

it('a file that is not there is named', async () => {
  await expect(linesOf('none/such.txt').next()).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});
