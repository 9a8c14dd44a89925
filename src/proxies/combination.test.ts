import { describe, expect, it } from 'vitest';
import { combineRanks } from './combination.js';
import { COMBINATIONS, combinationNamed, PROXIES, proxyNamed, requestNamed } from './index.js';

const HIGHER = { better: 'higher' as const };
const LOWER = { better: 'lower' as const };

describe('combineRanks', () => {
  it('averages ranks, the best being n, and shares those of ties', () => {
    const found = combineRanks(
      [HIGHER, HIGHER],
      [
        [3.1, 8.2, 5],
        [10, 10, 40],
      ],
    );
    expect(found).toEqual([1.25, 2.25, 2.5]);
  });

  it('turns scores round of which less is better', () => {
    expect(combineRanks([LOWER], [[3, 1, 2]])).toEqual([1, 3, 2]);
  });

  it('ranks a network last by a score that it lacks, and not at all without any', () => {
    const found = combineRanks(
      [HIGHER, HIGHER],
      [
        [1, undefined, 2, undefined],
        [5, 7, 6, Number.NaN],
      ],
    );
    expect(found).toEqual([2.5, 2.75, 3.5, undefined]);
  });

  it('refuses lists of different lengths', () => {
    expect(() => combineRanks([HIGHER, HIGHER], [[1], [1, 2]])).toThrowError(
      expect.objectContaining({ code: 'PROXY_POOL' }),
    );
  });
});

describe('names', () => {
  it('are those of proxies, each once', () => {
    expect(new Set(PROXIES.map((p) => p.name)).size).toBe(PROXIES.length);
    for (const proxy of PROXIES) expect(proxyNamed(proxy.name)).toBe(proxy);
  });

  it.each([
    ['snipp', "'snip'"],
    ['gradnorm', "'grad_norm'"],
    ['Zen', "'zen'"],
    ['epe', "'epe_nas'"],
    ['ntrs', 'ntsr'],
    ['', 'choose one of params'],
    ['something else', 'choose one of params'],
  ])("that are unknown, such as '%s', are answered with %s", (name, hint) => {
    expect(() => proxyNamed(name)).toThrowError(
      expect.objectContaining({ code: 'PROXY_UNKNOWN', hint: expect.stringContaining(hint) }),
    );
  });

  it('may have a variant', () => {
    expect(requestNamed('fisher:released')).toMatchObject({ proxy: { name: 'fisher' }, variant: 'released' });
    expect(requestNamed('params')).toEqual({ proxy: proxyNamed('params') });
    expect(() => requestNamed('fisher:nonsense')).toThrowError(
      expect.objectContaining({ code: 'PROXY_VARIANT' }),
    );
  });

  it('of combinations are their own or those of their members', () => {
    const members = (text: string) =>
      combinationNamed(text).members.map(({ proxy, variant }) => [proxy.name, variant]);
    expect(members('ntsr')).toEqual([
      ['ntkt', undefined],
      ['sept', undefined],
    ]);
    expect(members('ntkt:eq12 + sept:qkv+params')).toEqual([
      ['ntkt', 'eq12'],
      ['sept', 'qkv'],
      ['params', undefined],
    ]);
    for (const name of Object.keys(COMBINATIONS)) {
      expect(() => proxyNamed(name)).toThrowError(expect.objectContaining({ code: 'PROXY_POOL' }));
    }
    expect(
      combinationNamed('ntsr').combine([
        [1, 2],
        [2, 1],
      ]),
    ).toEqual([1.5, 1.5]);
  });
});
