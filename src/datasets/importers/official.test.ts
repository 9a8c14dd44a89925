// Files in the layouts in which benchmarks are published, with made-up numbers (verify/golden/official_formats.py).
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { readTableFile } from '../../store/table-file.js';
import { codeOfAsync } from '../../util/errors.testing.js';
import { Random } from '../../util/random.js';
import { readTable } from './read-table.js';
import { crc32c } from './tfrecord.js';

const FOLDER = join(import.meta.dirname, '../fixtures');
type Row = Readonly<Record<string, number | string>>;
const EXPECTED: Readonly<Record<string, readonly Row[]>> = JSON.parse(
  readFileSync(join(FOLDER, 'expected.json'), 'utf8'),
);
const SPACES: Readonly<Record<string, string>> = {
  'nasbench101.tfrecord': 'nasbench101',
  'nats-sss': 'nats-size',
};
const bytesOf = (name: string): Buffer => readFileSync(join(FOLDER, name));

const temporary = mkdtempSync(join(tmpdir(), 'auspex-tables-'));
afterAll(() => rmSync(temporary, { recursive: true }));

const codeOf = (bytes: Uint8Array): Promise<string> => codeOfAsync(() => readTable(bytes));

describe('official files', () => {
  it.each(Object.entries(EXPECTED))('%s', async (name, rows) => {
    const table = await readTableFile(join(FOLDER, name));
    expect(table.space).toBe(SPACES[name] ?? 'nasbench201');
    expect([...table.architectures]).toEqual(rows.map((row) => row.arch));
    const labels = Object.keys(rows[0]!).filter((key) => key !== 'arch');
    expect(table.labels.map((l) => l.name).sort()).toEqual(labels.sort());
    for (const label of labels) {
      rows.forEach((row, i) => {
        expect(table.column(label)[i], label).toBeCloseTo(row[label] as number, 9);
      });
    }
  });

  it('are read from gzip, too', async () => {
    for (const name of ['nasbench101.tfrecord', 'hw-nas-bench.pickle', 'nasbench201.zip.pth']) {
      const path = join(temporary, `${name}.gz`);
      writeFileSync(path, gzipSync(bytesOf(name)));
      expect((await readTableFile(path)).rows).toBe(EXPECTED[name]!.length);
    }
  });

  it('say units and directions', async () => {
    const table = await readTableFile(join(FOLDER, 'hw-nas-bench.pickle'));
    expect(table.label('cifar10_edgegpu_latency')).toMatchObject({ unit: 'ms', better: 'lower' });
    expect(table.label('imagenet16_120_edgegpu_energy')).toMatchObject({ unit: 'mJ', better: 'lower' });
    const nats = await readTableFile(join(FOLDER, 'nats-tss.pickle.pbz2'));
    expect(nats.label('cifar10_test')).toMatchObject({ unit: '%', better: 'higher' });
    expect(nats.label('cifar10_test_2ep').provenance).toContain('2 epochs');
  });
});

describe('official files that are damaged', () => {
  const CUT: readonly [name: string, code: RegExp, step: number][] = [
    ['nasbench101.tfrecord', /^TFRECORD_TRUNCATED$/, 1],
    ['nats-tss.pickle.pbz2', /^BZIP2_TRUNCATED$/, 97],
    ['nasbench201.legacy.pth', /^PICKLE_TRUNCATED$/, 97],
    ['nasbench201.zip.pth', /^TORCH_FILE$/, 97],
    ['hw-nas-bench.pickle', /^PICKLE_(TRUNCATED|MALFORMED)$/, 1],
  ];
  it.each(CUT)('%s is refused when it is cut off', async (name, code, step) => {
    const bytes = bytesOf(name);
    const whole = name === 'nasbench101.tfrecord' ? recordEnds(bytes) : new Set<number>();
    // A legacy file ends with weights that are not read; all before must be there.
    const end = name === 'nasbench201.legacy.pth' ? bytes.length - 500 : bytes.length;
    for (let length = 16; length < end; length += step) {
      // Between records a file is whole, only shorter.
      if (whole.has(length)) continue;
      expect(await codeOf(bytes.subarray(0, length)), `${length} bytes`).toMatch(code);
    }
  });

  it.each(CUT.map(([name]) => name))(
    '%s, changed at random, gives a table or an error of ours',
    async (name) => {
      const random = Random.seeded(5);
      const bytes = bytesOf(name);
      const codes = new Set<string>();
      for (let i = 0; i < 150; i++) {
        const changed = Uint8Array.from(bytes);
        for (let n = random.between(1, 5); n > 0; n--)
          changed[random.below(bytes.length)] = random.below(256);
        codes.add(await codeOf(changed));
      }
      codes.delete('no error');
      expect(codes.size).toBeGreaterThan(0);
    },
  );

  it('NAS-Bench-101: every changed byte is noticed', async () => {
    const bytes = bytesOf('nasbench101.tfrecord');
    for (let at = 0; at < bytes.length; at += 5) {
      const changed = Uint8Array.from(bytes);
      changed[at]! ^= 0x10;
      // A file whose first length is wrong does not look like a record file at all.
      expect(await codeOf(changed), `byte ${at}`).toMatch(at < 12 ? /^TABLE_/ : /^TFRECORD_/);
    }
  });

  /** A record file with one record of this content. */
  const record = (content: string): Buffer => {
    const mask = (crc: number): number => (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
    const data = Buffer.from(content);
    const out = Buffer.alloc(data.length + 16);
    out.writeBigUInt64LE(BigInt(data.length), 0);
    out.writeUInt32LE(mask(crc32c(out.subarray(0, 8))), 8);
    data.copy(out, 12);
    out.writeUInt32LE(mask(crc32c(data)), 12 + data.length);
    return out;
  };
  it.each([
    ['no JSON', 'abc'],
    ['no list of five', '["h",108,"01"]'],
    ['no texts', '["h",108,1,2,3]'],
    ['no epochs', '["h","108","0100","input,output",""]'],
    ['no square', '["h",108,"010","input,output",""]'],
    ['an edge backwards', '["h",108,"0110","input,output",""]'],
    ['too few operations', '["h",108,"011001000","input,output",""]'],
    ['no base64', '["h",108,"0100","input,output","%%%"]'],
    ['no metrics', '["h",108,"0100","input,output",""]'],
    ['damaged metrics', '["h",108,"0100","input,output","CgUJAAAA"]'],
  ])('NAS-Bench-101 with %s', async (_, content) => {
    expect(await codeOf(record(content))).toBe('NASBENCH101_RECORD');
  });

  it('CRC-32C has its check value', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it.each([
    ['other dictionaries', '}S"a"\nI1\ns.', 'TABLE_UNKNOWN'],
    ['only the list of architectures', '}S"meta_archs"\n]s.', 'NATS_META'],
    ['something else than results', '}S"meta_archs"\n]sS"arch2infos"\n}I0\nI1\nss.', 'NATS_LAYOUT'],
    ['no data sets', '}S"nasbench201"\n}s.', 'HW_NAS_BENCH_LAYOUT'],
    ['no configurations', '}S"nasbench201"\n}S"cifar10"\n}ss.', 'HW_NAS_BENCH_LAYOUT'],
  ])('pickles with %s', async (_, text, code) => {
    expect(
      await codeOf(Buffer.concat([Uint8Array.of(0x80, 2), Buffer.from(text.replaceAll('"', "'"))])),
    ).toBe(code);
  });

  it('a folder without results is refused', async () => {
    await expect(readTableFile(temporary)).rejects.toThrow(/no NATS-Bench files/);
    await expect(readTableFile(join(FOLDER, 'nats-sss', 'meta.pickle.pbz2'))).rejects.toThrow(
      /only the list of architectures/,
    );
  });
});

/** Where records end. */
function recordEnds(bytes: Buffer): Set<number> {
  const ends = new Set<number>();
  for (let at = 0; at < bytes.length; ) {
    at += 16 + Number(bytes.readBigUInt64LE(at));
    ends.add(at);
  }
  return ends;
}
