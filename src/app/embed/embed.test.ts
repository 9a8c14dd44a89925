import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readNpy } from '../../inputs/npy.js';
import { nasBench201 } from '../../spaces/cells/nasbench201.js';
import { readNpz } from '../../store/npz.js';
import { Random } from '../../util/random.js';
import { embedDocument } from '../documents/embed.js';
import { embedNetworks } from './embed.js';
import { nearestRows } from './nearest.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-embed-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const random = Random.seeded(6);
const texts = [...new Set(Array.from({ length: 40 }, () => nasBench201.format(nasBench201.sample(random))))];
const [first, second, ...others] = texts as [string, string, ...string[]];
const rows = others.map((text, i) => `${text},${i}`);
writeFileSync(
  at('known.csv'),
  `# auspex {"table":1,"space":"nasbench201","labels":{"acc":{"unit":"%","better":"higher","provenance":"made up"}}}\narch,acc\n${rows.join('\n')}\n`,
);

describe('embedding networks', () => {
  it('gives numbers by a bundled embedding, or by the last hidden layer of a predictor', async () => {
    const own = await embedNetworks({ refs: [first] });
    expect([own.predictor, own.by, own.width]).toEqual(['bundled:nasbench201-arch2vec', 'embedding', 16]);
    const byKind = await embedNetworks({ refs: [first], predictor: 'arch2vec' });
    expect(byKind).toEqual(own);
    const predictor = 'bundled:nasbench201-accuracy';
    const document = embedDocument.parse(await embedNetworks({ refs: [first, second], predictor }));
    expect([document.by, document.width]).toEqual(['hidden-layer', 128]);
    expect(document.networks.map(({ ref }) => ref)).toEqual([first, second]);
    expect(document.networks.every(({ embedding }) => embedding!.every(Number.isFinite))).toBe(true);
  });

  it('writes files that NumPy opens, and a map without scripts', async () => {
    const [npy, npz, map] = ['e.npy', 'e.npz', 'map.html'].map(at) as [string, string, string];
    await embedNetworks({ refs: [first, second], output: npy });
    const document = await embedNetworks({ refs: [first, second], output: npz, map });
    expect(document.networks[0]).toEqual({ ref: first });
    const { dims, data } = readNpy(npy);
    expect(dims).toEqual([2, 16]);
    expect(readNpz(npz).array('embedding')).toEqual({ dims, data });
    expect(readNpz(npz).texts('networks')).toEqual([first, second]);
    const page = readFileSync(map, 'utf8');
    expect(page.match(/<circle /g)?.length).toBe(2);
    expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  });

  it('lists the nearest known networks', async () => {
    const { networks, known } = await embedNetworks({
      refs: [first, others[3]!],
      nearest: 3,
      among: at('known.csv'),
      label: 'acc',
      map: at('known.html'),
    });
    expect(known).toEqual({ count: others.length, label: 'acc' });
    expect(networks[1]!.nearest![0]).toEqual({ ref: others[3], distance: expect.closeTo(0, 5), value: 3 });
    const distances = networks[0]!.nearest!.map(({ distance }) => distance);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
    expect(readFileSync(at('known.html'), 'utf8').match(/<circle /g)?.length).toBe(others.length + 2);
  });

  it('draws a map by t-SNE, and puts networks into clusters', async () => {
    const map = at('tsne.html');
    const request = { refs: [...others], map, projection: 'tsne', clusters: 4 } as const;
    const document = embedDocument.parse(await embedNetworks(request));
    const page = readFileSync(map, 'utf8');
    expect(page.match(/<circle /g)?.length).toBe(others.length);
    expect(page).toContain('t-SNE 1');
    const numbers = new Set(document.networks.map(({ cluster }) => cluster));
    expect(numbers.size).toBe(document.clusters!.count);
    expect(numbers.size).toBeGreaterThan(1);
    expect(numbers.size).toBeLessThan(others.length);
  });

  it('reports networks that cannot be embedded', async () => {
    const { networks } = await embedNetworks({ refs: [first, 'nasbench101:3:101:maxpool3x3'] });
    expect(networks[0]!.embedding!.every(Number.isFinite)).toBe(true);
    expect(networks[1]).toEqual({
      ref: 'nasbench101:3:101:maxpool3x3',
      error: expect.objectContaining({ code: 'OTHER_SPACE' }),
    });
  });

  it.each([
    ['a label without a table', { label: 'acc' }, 'BAD_OPTION'],
    ['a label that is not there', { among: at('known.csv'), label: 'ms' }, 'TABLE_NO_LABEL'],
    ['another format', { output: at('e.csv') }, 'BAD_OPTION'],
    ['a projection without a map', { projection: 'tsne' as const }, 'BAD_OPTION'],
    ['a map of one network', { map: at('one.html') }, 'MAP_TOO_FEW'],
    ['overwriting another file', { output: at('known.npz') }, 'OUTPUT_EXISTS'],
  ])('refuses %s', async (_, changes, code) => {
    writeFileSync(at('known.npz'), 'notes');
    await expect(embedNetworks({ ...changes, refs: [first] })).rejects.toMatchObject({ code });
    expect(existsSync(at('one.html'))).toBe(false);
  });
});

describe('nearest rows', () => {
  it('are those of a full sort', () => {
    const known = Float64Array.from({ length: 300 }, () => random.normal());
    const point = Float64Array.of(0.1, -0.2, 0.3);
    const all = Array.from({ length: 100 }, (_, place) => ({
      place,
      distance: Math.hypot(...point.map((x, k) => x - known[place * 3 + k]!)),
    })).sort((a, b) => a.distance - b.distance);
    const found = nearestRows(point, known, 5, (place) => place === all[0]!.place);
    expect(found.map(({ place }) => place)).toEqual(all.slice(1, 6).map(({ place }) => place));
    found.forEach(({ distance }, i) => {
      expect(distance).toBeCloseTo(all[i + 1]!.distance, 12);
    });
  });
});
