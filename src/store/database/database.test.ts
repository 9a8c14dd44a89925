import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { codeOfAsync } from '../../util/errors.testing.js';
import { Database, defaultDatabase, exportLines, importLines, type TableRow } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-db-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const DATE = '2026-11-18T12:00:00.000Z';
const network: TableRow = { table: 'networks', row: { hash: 'h', name: 'net.onnx', first_seen: DATE } };
const device: TableRow = {
  table: 'devices',
  row: { id: 'd', name: 'a processor', cores: 2, memory_bytes: 8e9, platform: 'linux x64', first_seen: DATE },
};
const measurement = (id: string): TableRow => ({
  table: 'measurements',
  row: {
    id,
    network_hash: 'h',
    device_id: 'd',
    measured_at: DATE,
    runtime: 'onnxruntime-node 1.30.0',
    provider: 'cpu',
    threads: 1,
    optimization: 'all',
    inputs: '[]',
    median_ms: 1.25,
    cpu_median_ms: 1.2,
    runs: 50,
    peak_bytes: 4_000_000,
    document: '{}',
  },
});

async function filled(name: string, ids: readonly string[]): Promise<Database> {
  const database = await Database.open(at(name));
  await database.add([network, device, ...ids.map(measurement)]);
  return database;
}

async function linesIn(database: Database): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(database)) lines.push(line);
  return lines;
}

describe('Database', () => {
  it('keeps rows, and stores none twice', async () => {
    const database = await filled('rows.db', ['a', 'b']);
    expect(await database.add([network, device, measurement('b'), measurement('c')])).toEqual({
      networks: 0,
      devices: 0,
      measurements: 1,
      predictions: 0,
    });
    await database.close();
    const again = await Database.open(at('rows.db'));
    expect(await again.counts()).toEqual({ networks: 1, devices: 1, measurements: 3, predictions: 0 });
    expect(await again.devices()).toEqual([
      { name: 'a processor', measurements: 3, networks: 1, latest: DATE },
    ]);
    await again.close();
  });

  it('stores all rows of a call or none', async () => {
    const database = await filled('whole.db', []);
    const orphan = {
      ...measurement('x'),
      row: { ...measurement('x').row, network_hash: 'unknown' },
    } as TableRow;
    await expect(database.add([measurement('y'), orphan])).rejects.toThrow();
    expect((await database.counts()).measurements).toBe(0);
    await database.close();
  });

  it('is exported and imported; the second time changes nothing', async () => {
    const from = await filled('from.db', ['a', 'b']);
    const lines = await linesIn(from);
    const to = await Database.open(at('to.db'));
    expect((await importLines(to, lines, 'x')).added).toMatchObject({ networks: 1, measurements: 2 });
    expect((await importLines(to, lines, 'x')).added).toMatchObject({ networks: 0, measurements: 0 });
    expect(await linesIn(to)).toEqual(lines);
    await from.close();
    await to.close();
  });

  it('refuses what is not an export, as a whole', async () => {
    const to = await Database.open(at('strict.db'));
    const lines = await linesIn(await filled('strict-from.db', ['a']));
    const read = (changed: readonly string[]) => codeOfAsync(() => importLines(to, changed, 'x.jsonl'));
    expect(await read([])).toBe('DB_IMPORT');
    expect(await read(['{"schema":"auspex.db/9"}'])).toBe('DB_NEWER');
    expect(await read([...lines, 'no JSON'])).toBe('DB_IMPORT');
    expect(await read(lines.map((line) => line.replace('"median_ms":1.25', '"median_ms":0')))).toBe(
      'DB_IMPORT',
    );
    expect((await to.counts()).measurements).toBe(0);
    await to.close();
  });

  it('has clear errors for files that cannot be used', async () => {
    const opened = (path: string) => codeOfAsync(() => Database.open(path));
    writeFileSync(at('text.db'), 'this is text, and more of it than a header has '.repeat(40));
    expect(await opened(at('text.db'))).toBe('DB_CORRUPT');
    expect(await opened(join(at('text.db'), 'below.db'))).toBe('DB_UNOPENED');
    if (process.platform === 'linux') expect(await opened('/dev/full')).toBe('DB_FULL');
    const database = await filled(
      'damaged.db',
      Array.from({ length: 200 }, (_, i) => `m${i}`),
    );
    await database.close();
    const bytes = readFileSync(at('damaged.db'));
    writeFileSync(at('damaged.db'), bytes.fill(7, 4096, bytes.length));
    const damaged = await Database.open(at('damaged.db')).catch((error: unknown) => error);
    const code =
      damaged instanceof Database
        ? await codeOfAsync(() => damaged.counts())
        : (damaged as { code: string }).code;
    expect(code).toBe('DB_CORRUPT');
  });

  it('refuses a database of a newer version, and leaves it alone', async () => {
    const database = await filled('newer.db', ['a']);
    await database.close();
    const Sqlite = (await import('libsql')).default;
    const raw = new Sqlite(at('newer.db'));
    raw.exec("UPDATE meta SET value = '2' WHERE key = 'schema'");
    raw.close();
    copyFileSync(at('newer.db'), at('before.db'));
    expect(await codeOfAsync(() => Database.open(at('newer.db')))).toBe('DB_NEWER');
  });

  it('is where the environment says', () => {
    expect(defaultDatabase({ AUSPEX_DB: '/x/y.db' })).toBe('/x/y.db');
    expect(defaultDatabase({ XDG_DATA_HOME: '/data' })).toBe('/data/auspex/auspex.db');
    expect(defaultDatabase({})).toMatch(/\.local\/share\/auspex\/auspex\.db$/);
  });
});

/** A process that adds rows one by one, and prints the name of each when it is stored. */
const WRITER = `
const { Database } = await import(process.argv[1]);
const database = await Database.open(process.argv[2]);
for (let i = 0; i < Number(process.argv[4]); i++) {
  const rows = JSON.parse(process.argv[5]);
  rows.at(-1).row.id = process.argv[3] + i;
  await database.add(rows);
  console.log(process.argv[3] + i);
}
await database.close();`;
const BUILT = resolve(import.meta.dirname, '../../../dist/store/database/index.js');

const writerArgs = (path: string, prefix: string, count: number): string[] => [
  ...['--input-type=module', '-e', WRITER],
  ...[BUILT, path, prefix, String(count), JSON.stringify([network, device, measurement('')])],
];

describe('processes', () => {
  it.runIf(process.platform === 'linux')('say that the disk is full, and keep what was stored', async () => {
    const path = at('full.db');
    // Files of this process cannot grow beyond 400 kB.
    const limited = ['-c', 'trap "" XFSZ; ulimit -f 400; exec "$@"', 'bash', process.execPath];
    const { stdout, stderr } = spawnSync('bash', [...limited, ...writerArgs(path, 'a', 2000)], {
      encoding: 'utf8',
    });
    expect(stderr).toContain('DB_FULL');
    expect(stderr).not.toContain('rollback');
    const stored = stdout.trim().split('\n').length;
    expect(stored).toBeGreaterThan(5);
    const database = await Database.open(path);
    expect((await database.counts()).measurements).toBe(stored);
    await database.close();
  });

  it('write to one database at once', async () => {
    const path = at('shared.db');
    const ended = ['a', 'b'].map(
      (prefix) =>
        new Promise<number | null>((done) => {
          spawn(process.execPath, writerArgs(path, prefix, 40), { stdio: 'ignore' }).once('close', done);
        }),
    );
    expect(await Promise.all(ended)).toEqual([0, 0]);
    const database = await Database.open(path);
    expect((await database.counts()).measurements).toBe(80);
    await database.close();
  });

  it('lose nothing that was stored when they are killed', async () => {
    const path = at('killed.db');
    const child = spawn(process.execPath, writerArgs(path, 'k', 100_000), {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = '';
    const ended = new Promise((done) => child.once('close', done));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.includes('k25\n')) child.kill('SIGKILL');
    });
    await ended;
    const stored = printed.split('\n').filter((line) => line !== '').length;
    const database = await Database.open(path);
    expect((await database.counts()).measurements).toBeGreaterThanOrEqual(stored);
    await database.close();
    expect(spawnSync(process.execPath, writerArgs(path, 'after', 1)).status).toBe(0);
  });
});
