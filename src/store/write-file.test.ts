import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { writeAtomically } from '../onnx/file.js';
import { removeStale, writeOutput } from './write-file.js';

const root = mkdtempSync(join(tmpdir(), 'auspex-write-'));
afterAll(() => rmSync(root, { recursive: true }));
let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
});
const at = (...names: string[]): string => join(folder, ...names);

/** Both ways there are: models and checkpoints are written in one turn, everything else in pieces. */
describe.each([
  ['writeOutput', (path: string, text: string) => writeOutput(path, text)],
  [
    'writeAtomically',
    async (path: string, text: string) => writeAtomically(path, (w) => w(Buffer.from(text))),
  ],
])('%s', (_, write) => {
  it('creates and replaces files, and leaves nothing else', async () => {
    await write(at('a'), 'one');
    await write(at('a'), 'two');
    expect(readFileSync(at('a'), 'utf8')).toBe('two');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('keeps permissions, and gives new files those of the umask', async () => {
    writeFileSync(at('secret'), 'old');
    chmodSync(at('secret'), 0o600);
    await write(at('secret'), 'new');
    expect(statSync(at('secret')).mode & 0o777).toBe(0o600);
    await write(at('public'), 'new');
    expect(statSync(at('public')).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it('follows links, also those that lead nowhere yet', async () => {
    mkdirSync(at('inner'));
    writeFileSync(at('inner', 'target'), 'old');
    symlinkSync('inner/target', at('link'));
    symlinkSync('link', at('second'));
    symlinkSync('inner/made', at('dangling'));
    await write(at('second'), 'new');
    await write(at('dangling'), 'made');
    expect([readlinkSync(at('second')), readlinkSync(at('link'))]).toEqual(['link', 'inner/target']);
    expect(readFileSync(at('inner', 'target'), 'utf8')).toBe('new');
    expect(readlinkSync(at('dangling'))).toBe('inner/made');
    expect(readFileSync(at('inner', 'made'), 'utf8')).toBe('made');
    symlinkSync('round', at('round'));
    await expect(write(at('round'), 'x')).rejects.toMatchObject({ code: 'FILE_UNWRITABLE' });
  });

  it('leaves devices what they are', async () => {
    await write('/dev/null', 'gone');
    await expect(write('/dev/full', 'too much')).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
      message: 'the file cannot be written: no space is left on the device',
      where: { file: '/dev/full' },
      hint: expect.any(String),
    });
    for (const device of ['/dev/null', '/dev/full']) expect(lstatSync(device).isCharacterDevice()).toBe(true);
  });

  it('writes into a pipe', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const reader = spawn('cat', [at('pipe')], { stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    reader.stdout.on('data', (chunk) => chunks.push(chunk));
    const ended = new Promise((done) => void reader.on('close', done));
    const text = 'x'.repeat(300_000);
    // The second way holds this thread until the reader has all.
    await write(at('pipe'), text);
    await ended;
    expect(Buffer.concat(chunks).toString()).toBe(text);
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
  });

  it.each([
    ['a missing folder', () => at('none', 'f'), /folder does not exist/],
    ['a folder', () => folder, /this is a folder/],
    ['a path through a file', () => at('file', 'f'), /folder does not exist|through a file/],
    ['/proc', () => '/proc/auspex-test', /folder does not exist|permission/],
  ])('says why it cannot write to %s', async (_name, path, reason) => {
    writeFileSync(at('file'), '');
    const file = path();
    await expect(write(file, 'x')).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
      kind: 'failure',
      message: expect.stringMatching(reason),
      where: { file },
      hint: expect.any(String),
    });
  });
});

describe('writeOutput', () => {
  it('that is stopped changes nothing', async () => {
    writeFileSync(at('a'), 'old');
    const controller = new AbortController();
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('new');
      controller.abort(new Error('stopped'));
      yield Buffer.from('more');
    }
    await expect(writeOutput(at('a'), pieces(), { signal: controller.signal })).rejects.toThrow('stopped');
    expect(readFileSync(at('a'), 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('leaves no temporary file when the process ends in the middle', () => {
    const module = join(import.meta.dirname, '../../dist/store/write-file.js');
    const code = `import { writeOutput } from ${JSON.stringify(module)};
      await writeOutput(${JSON.stringify(at('a'))}, (function* () { yield Buffer.from('x'); process.exit(3); })());`;
    expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', code])).toThrow(
      expect.objectContaining({ status: 3 }),
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('removeStale', () => {
  it('removes what ended processes left long ago, and nothing else', () => {
    const ended = 2 ** 22 + 1;
    const names = [`a.${ended}.tmp`, `b.${ended}.tmp`, `a.${process.pid}.tmp`, 'a.x.tmp', `a.${ended}`];
    for (const name of names) {
      writeFileSync(at(name), '');
      utimesSync(at(name), 0, 0);
    }
    writeFileSync(at(`a.${ended + 1}.tmp`), 'young');
    removeStale(at('a'));
    expect(readdirSync(folder).sort()).toEqual([...names.slice(1), `a.${ended + 1}.tmp`].sort());
  });
});
