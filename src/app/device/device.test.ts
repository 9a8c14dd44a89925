import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { spaceNamed } from '../../spaces/index.js';
import { Database } from '../../store/database/index.js';
import { Random } from '../../util/random.js';
import { databaseStats } from '../database.js';
import { diskResolver } from '../resolve.js';
import { fitDevice } from './fit.js';
import { Devices } from './library.js';
import { Measurements } from './measured.js';
import { measuredNetworks } from './measured-table.js';
import { edits, nearestNames } from './nearest-names.js';
import { refitDevices } from './refit.js';
import { similarToRows } from './similar.js';
import { trainLatency } from './train.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-device-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

const library = new Devices(at('none'));
const resolver = diskResolver();
const refs = drawn(26);
const networks = refs.map((ref) => resolver.network(ref).settled());

function drawn(count: number): string[] {
  const space = spaceNamed('nasbench201');
  const random = Random.seeded(5);
  return Array.from({ length: count }, () => `nasbench201:${space.format(space.sample(random))}`);
}

/** Milliseconds of a device that nobody knows: a known one, four times as slow, with a cost of its own. */
async function milliseconds(): Promise<number[]> {
  const model = await library.model('xeon-gold-6240');
  const said = await model.predict(networks);
  return said.map(({ value }) => 4 * value ** 0.9 + 1);
}

describe('bundled devices', () => {
  it('all predict a network, within their intervals', async () => {
    const { devices } = library.bundled();
    expect(devices.length).toBeGreaterThan(50);
    expect(new Set(devices.map(({ name }) => name)).size).toBe(devices.length);
    for (const device of devices) {
      const [said] = await (await library.model(device.name)).predict([networks[0]!]);
      expect(said!.value).toBeGreaterThan(0);
      expect(said!.low).toBeLessThan(said!.value);
      expect(said!.high).toBeGreaterThan(said!.value);
      expect(device.error!.networks).toBe(device.measured.networks);
    }
  });

  it('name operators that were never measured, and are less sure of them', async () => {
    const model = await library.model('i7-12700h');
    const plain = networks[0]!;
    const other = resolver.network(
      `lts-gpt2:${spaceNamed('lts-gpt2').format(spaceNamed('lts-gpt2').sample(Random.seeded(1)))}`,
    );
    const [near, far] = await model.predict([plain, other.settled()]);
    expect(near!.unknown).toEqual([]);
    expect(far!.rests[0]).toMatch(/^unlike/);
    expect(far!.high / far!.low).toBeGreaterThan(near!.high / near!.low);
  });

  it('that are unknown are answered with the nearest names', () => {
    expect(() => library.find('pixl2')).toThrow("no device is called 'pixl2'");
    // Levenshtein's own examples.
    expect(edits('kitten', 'sitting')).toBe(3);
    expect(edits('', 'abc')).toBe(3);
    expect(nearestNames('Pixel-2', ['rtx4090', 'pixel2', 'pixel3'])[0]).toBe('pixel2');
    writeFileSync(at('bad.device.json'), '{"schema":"auspex.device/9"}');
    expect(() => library.find(at('bad.device.json'))).toThrow('is not a device that this auspex reads');
  });
});

describe('a device from a few rows', () => {
  it('predicts other networks, and knows which device it is like', async () => {
    const ms = await milliseconds();
    const rows = networks.map((network, i) => ({
      name: refs[i]!,
      network,
      ms: ms[i]!,
      family: undefined,
      line: i + 2,
    }));
    const { device } = await fitDevice(rows.slice(0, 12), library, {
      name: 'mine',
      measured: { ...library.bundled().devices[0]!.measured, device: 'mine' },
    });
    const said = await (await library.open(device, 'mine')).predict(networks.slice(12));
    const errors = said.map(({ value }, i) => Math.abs(value / ms[12 + i]! - 1));
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.05);
    const { devices } = await similarToRows('mine.csv', rows.slice(0, 12), library);
    expect(devices.slice(0, 3).map(({ name }) => name)).toContain('xeon-gold-6240');
    const seconds = rows.slice(0, 12).map((row, i) => (i === 4 ? { ...row, ms: row.ms / 1000 } : row));
    const mixed = fitDevice(seconds, library, { name: 'mine', measured: device.measured });
    await expect(mixed).rejects.toMatchObject({ code: 'LATENCY_UNITS' });
  });

  it('is trained from a table, and written whole or not at all', async () => {
    const ms = await milliseconds();
    const lines = refs.slice(0, 8).map((ref, i) => `${ref},${ms[i]}`);
    writeFileSync(at('mine.csv'), ['network,latency_ms', ...lines].join('\n'));
    const { device, file } = await trainLatency({ data: at('mine.csv'), output: at('my-board.device.json') });
    expect(device.name).toBe('my-board');
    expect(new Devices(at('none')).find(file).device).toEqual(device);
    const bad = async (text: string, code: string): Promise<void> => {
      writeFileSync(at('bad.csv'), text);
      const training = trainLatency({ data: at('bad.csv'), output: at('bad-board.device.json') });
      await expect(training).rejects.toMatchObject({ code });
      expect(readdirSync(folder)).not.toContain('bad-board.device.json');
    };
    await bad(`network,latency_ms\n${refs[0]},0\n`, 'LATENCY_VALUE');
    await bad(`network,latency_ms\n${refs[0]},-3\n`, 'LATENCY_VALUE');
    await bad(`network,latency_ms\n${refs[0]},fast\n`, 'LATENCY_VALUE');
    await bad(`network,latency_ms\n${refs[0]},3 ms\n${refs[1]},0.004 s\n`, 'LATENCY_UNITS');
    await bad(`network,latency_ms\n${refs[0]},3\n`, 'LATENCY_ROWS');
    await bad(`network,watts\n${refs[0]},3\n`, 'TABLE_COLUMN');
    await bad('', 'TABLE_EMPTY');
    await expect(trainLatency({ data: at('mine.csv'), output: at('board.onnx') })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    });
    writeFileSync(at('s.csv'), `network,latency_s\n${refs[0]},0.003\n`);
    expect(measuredNetworks(at('s.csv'))[0]!.ms).toBeCloseTo(3, 9);
  });
});

describe('db refit', () => {
  it('makes predictions of a device better, and answers what was measured', async () => {
    const ms = await milliseconds();
    const db = at('team.db');
    const store = async (from: number, to: number): Promise<void> => {
      const database = await Database.open(db);
      for (let i = from; i < to; i++) await database.add(rowsOf(refs[i]!, networks[i]!.hash(), ms[i]!, i));
      await database.close();
    };
    await store(0, 5);
    await expect(refitDevices({ db: at('empty.db') })).rejects.toMatchObject({ code: 'LATENCY_ROWS' });
    const [first] = await refitDevices({ db });
    expect(first).toMatchObject({ before: null, skipped: [] });
    await store(5, 20);
    const [second] = await refitDevices({ db, device: 'my-chip' });
    expect(second!.device.measured).toMatchObject({ networks: 20, device: 'My chip' });
    const own = new Devices(join(folder, 'devices'));
    const error = async (device: typeof first): Promise<number> => {
      const said = await (await own.open(device!.device, JSON.stringify(device!.before))).predict(
        networks.slice(20),
      );
      return said.reduce((sum, { value }, i) => sum + Math.abs(value / ms[20 + i]! - 1), 0);
    };
    expect(await error(second)).toBeLessThan(await error(first));
    await expect(refitDevices({ db, device: 'other' })).rejects.toMatchObject({ code: 'DEVICE_UNKNOWN' });

    const measurements = (await Measurements.open(db))!;
    expect(await measurements.of(networks[3]!, own.find('my-chip').device)).toMatchObject({
      medianMs: ms[3],
    });
    expect(await measurements.of(networks[24]!, own.find('my-chip').device)).toBeUndefined();
    expect(await measurements.of(networks[3]!.at({ batch: 2 }), own.find('my-chip').device)).toBeUndefined();
    for (const _ of [1, 2]) {
      await measurements.remember(networks[24]!, own.find('my-chip').device, { value: 3, low: 2, high: 4 });
    }
    await measurements.close();
    expect((await databaseStats(db)).counts.predictions).toBe(1);
  });
});

function rowsOf(name: string, hash: string, ms: number, i: number) {
  const date = `2026-01-${String(i + 1).padStart(2, '0')}T00:00:00.000Z`;
  const device = {
    id: 'chip',
    name: 'My chip',
    cores: 2,
    memory_bytes: null,
    platform: null,
    first_seen: date,
  };
  const inputs = JSON.stringify([{ name: 'input', type: 'float32', shape: [1, 3, 32, 32] }]);
  const setting = { runtime: '1.0', provider: 'cpu', threads: 1, optimization: 'all', runs: 10 };
  return [
    { table: 'networks' as const, row: { hash, name, first_seen: date } },
    { table: 'devices' as const, row: device },
    {
      table: 'measurements' as const,
      row: {
        ...{ id: `m${i}`, network_hash: hash, device_id: 'chip', measured_at: date, inputs, ...setting },
        ...{ median_ms: ms, cpu_median_ms: null, peak_bytes: null, document: '{}' },
      },
    },
  ];
}
