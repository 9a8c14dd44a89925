import { describe, expect, it } from 'vitest';
import { ArchNetwork } from '../../networks/index.js';
import { requestNamed, Subject, scoreAll } from '../../proxies/index.js';
import { natsSize } from '../../spaces/cells/nats-size.js';
import { columnsNamed, columnValues } from './columns.js';
import { scoreByPlan } from './score.js';
import { proxyScorers } from './scorers.js';

const SETTINGS = { seed: 3, batch: 1, workers: 1 };
const WIDTHS = ['8:8:8:8:8', '16:8:8:8:8', '8:8:8:8:64'];

const networksOf = (texts: readonly string[]) =>
  texts.map((text) => new ArchNetwork(natsSize, natsSize.parse(text)));

describe('proxies of a search', () => {
  it('gives what the proxy gives', async () => {
    const scorer = proxyScorers(SETTINGS, scoreByPlan)('l2_norm', natsSize)!;
    expect([scorer.name, scorer.better]).toEqual(['l2_norm (batch 1)', 'higher']);
    const scores = await scorer.score(networksOf([...WIDTHS, WIDTHS[0]!]));
    const expected = await Promise.all(
      WIDTHS.map(async (arch) => {
        const network = natsSize.network(natsSize.parse(arch), { seed: 3 });
        const [outcome] = await scoreAll(Subject.of(network, { seed: 3 }), [requestNamed('l2_norm')]);
        return 'score' in outcome! ? outcome.score.value : Number.NaN;
      }),
    );
    expect([...scores]).toEqual([...expected, expected[0]]);
  });

  it('ranks NTSR within the list', () => {
    const scores = [
      { ntkt: 3.1, sept: 10 },
      { ntkt: 8.2, sept: 10 },
      { ntkt: 5, sept: 40 },
      { ntkt: 9 },
    ] as Record<string, number>[];
    // ½·(R(NTKT) + R(SEPT)), equal scores with the mean of their ranks; a missing score ranks last.
    expect(
      columnValues(
        columnsNamed(['ntsr']),
        scores.map((of) => ({ scores: of })),
      ),
    ).toEqual([[1.75, 2.75, 3, 2.5]]);
    expect(proxyScorers(SETTINGS, scoreByPlan)('ntsr', natsSize)).toMatchObject({ better: 'higher' });
  });

  it('says when a proxy does not fit the space', async () => {
    await expect(
      proxyScorers(SETTINGS, scoreByPlan)('sept', natsSize)!.score(networksOf(WIDTHS)),
    ).rejects.toMatchObject({
      code: 'PROXY_WITHOUT_SCORES',
      message: expect.stringContaining('PROXY_NO_BLOCKS'),
    });
    expect(proxyScorers(SETTINGS, scoreByPlan)('nothing', natsSize)).toBeUndefined();
    expect(() => proxyScorers(SETTINGS, scoreByPlan)('fisher:nothing', natsSize)).toThrow(/no variant/);
  });
});
