import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeNpy } from '../../inputs/npy.js';
import { ArchNetwork, listOf } from '../../networks/index.js';
import { arch2vec } from '../../predictors/kinds/arch2vec.js';
import { nasBench101 } from '../../spaces/cells/nasbench101.js';
import { Random } from '../../util/random.js';
import { decodeDocument } from '../documents/decode.js';
import { type DecodeRequest, decodeNetworks } from './decode.js';
import { embedNetworks } from './embed.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-decode-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const random = Random.seeded(8);
const networks = Array.from({ length: 100 }, () => new ArchNetwork(nasBench101, nasBench101.sample(random)));
const [first, second] = networks.map(({ ref }) => ref) as [string, string];
const predictor = at('cells.onnx');
const decode = async (request: Omit<DecodeRequest, 'refs'> & { refs?: string[] }) =>
  decodeDocument.parse(await decodeNetworks({ refs: [], predictor, ...request }));

beforeAll(async () => {
  const fitted = await arch2vec.fit(
    { networks: listOf(networks) },
    {
      steps: 30,
      rate: 5e-3,
      model: { width: 16, layers: 1, latent: 4, decoder: 'softmax', mode: 'training' },
    },
    { seed: 1, threads: 1 },
  );
  writeFileSync(predictor, fitted.predictor.toOnnx());
  await fitted.predictor.dispose();
  writeFileSync(at('wide.npy'), encodeNpy([2, 30], new Float32Array(60)));
  writeFileSync(at('nan.npy'), encodeNpy([1, 28], new Float32Array(28).fill(Number.NaN)));
});

describe('decoding networks', () => {
  it('finds networks near one, and reports those of other spaces', async () => {
    const other = 'nasbench201:|none~0|+|none~0|none~1|+|none~0|none~1|none~2|';
    const { decoded, space } = await decode({ refs: [first, other], near: 3 });
    expect(space).toBe('nasbench101');
    expect(decoded[0]!.networks.length).toBe(3);
    expect(decoded[0]!.networks.every(({ ref }) => ref!.startsWith('nasbench101:') && ref !== first)).toBe(
      true,
    );
    expect(decoded[1]).toMatchObject({ of: [other], error: { code: 'OTHER_SPACE' } });
  });

  it('decodes what embed --nodes writes', async () => {
    await embedNetworks({ refs: [first, second], predictor, nodes: true, output: at('z.npy') });
    const fromFile = await decode({ latents: at('z.npy') });
    const between = await decode({ refs: [first, second], between: 1 });
    const ends = between.decoded[0]!.networks;
    expect(ends.map(({ part }) => part)).toEqual([0, 0.5, 1]);
    expect(fromFile.decoded[0]!.networks.map(({ ref }) => ref)).toEqual([ends[0]!.ref, ends[2]!.ref]);
  });

  it('draws networks and judges the decoder', async () => {
    const { decoded } = await decode({ sample: 5, seed: 2 });
    expect(decoded[0]!.networks.length).toBe(5);
    const { quality } = await decode({ refs: [first, second], quality: true, draws: 50 });
    expect(quality!.constrained.validity).toBeGreaterThanOrEqual(quality!.validity);
    expect(quality!.reconstruction!.networks).toBe(2);
  });

  it.each([
    ['nothing', {}, 'BAD_OPTION'],
    ['two ways', { refs: [first], near: 1, sample: 2 }, 'BAD_OPTION'],
    ['one end', { refs: [first], between: 2 }, 'BAD_OPTION'],
    ['no network', { near: 2 }, 'BAD_OPTION'],
    ['latents of another size', { latents: at('wide.npy') }, 'LATENTS_SHAPE'],
    ['latents that are not finite', { latents: at('nan.npy') }, 'LATENTS_SHAPE'],
    [
      'a predictor without decoder',
      { predictor: 'bundled:nasbench101-accuracy', sample: 1 },
      'CANNOT_DECODE',
    ],
    ['a space without one', { predictor: undefined, space: 'fbnet', sample: 1 }, 'CANNOT_DECODE'],
  ])('refuses %s', async (_, request, code) => {
    await expect(decode(request)).rejects.toMatchObject({ code });
  });
});
