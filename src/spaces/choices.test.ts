import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { darts } from './cells/darts.js';
import { nasBench101 } from './cells/nasbench101.js';
import { nasBench201 } from './cells/nasbench201.js';
import { natsSize } from './cells/nats-size.js';
import { choiceOf, elementChoices } from './choice.js';
import { changeEach, choiceCount, crossover, distance, mutate, mutateEach, neighbours } from './choices.js';
import { ofaMobileNetV3 } from './mobile/ofa-mobilenetv3.js';
import { proxylessNas } from './mobile/proxylessnas.js';
import { autoFormerTiny } from './transformers/autoformer.js';
import { hwGptS } from './transformers/hwgpt.js';
import { ltsGpt2 } from './transformers/lts-gpt2.js';

/** Words of three letters. */
const words = {
  title: 'Words',
  choices: (word: readonly string[]) =>
    elementChoices(
      (i) => `letter ${i + 1}`,
      ['a', 'b', 'c'],
      word,
      (changed) => changed,
    ),
  format: (word: readonly string[]) => word.join(''),
};

const differences = (a: readonly unknown[], b: readonly unknown[]): number =>
  a.filter((each, i) => each !== b[i]).length;

describe('choices', () => {
  it('are counted', () => {
    const random = Random.seeded(1);
    for (let i = 0; i < 10; i++) {
      const vision = autoFormerTiny.sample(random);
      expect(choiceCount(autoFormerTiny, vision)).toBe(2 + 2 * vision.heads.length);
      const language = ltsGpt2.sample(random);
      expect(choiceCount(ltsGpt2, language)).toBe(4 + 2 * language.heads.length);
      const small = hwGptS.sample(random);
      expect(choiceCount(hwGptS, small)).toBe(3 + 2 * small.heads.length);
      expect(choiceCount(nasBench201, nasBench201.sample(random))).toBe(6);
      expect(choiceCount(natsSize, natsSize.sample(random))).toBe(5);
      // Eight operations of either cell, and the inputs of all nodes but the first.
      expect(choiceCount(darts, darts.sample(random))).toBe(2 * (8 + 3));
    }
    // The resolution, five depths, and kernel and expansion of fourteen layers.
    expect(choiceCount(ofaMobileNetV3, ofaMobileNetV3.parse(ofaMobileNetV3.example))).toBe(1 + 5 + 2 * 14);
    // The last layer is always one.
    expect(choiceCount(proxylessNas, proxylessNas.parse(proxylessNas.example))).toBe(5 + 2 * 16);
    // Operations of five vertices and edges of seven: there is no room for an eighth.
    expect(choiceCount(nasBench101, nasBench101.parse(nasBench101.example))).toBe(5 + 21);
  });

  it('have options that are read but not drawn', () => {
    const choice = choiceOf('width', [1, 2], 7, (width) => width);
    expect(Array.from({ length: choice.count }, (_, i) => choice.option(i))).toEqual([7, 1, 2]);
    expect([choice.set(0), choice.set(2), choice.ordinal]).toEqual([7, 2, true]);
    expect(choiceOf('letter', ['a'], 'a', (letter) => letter).ordinal).toBeUndefined();
  });
});

describe('neighbours', () => {
  it('are all that are one choice away', () => {
    expect(neighbours(words, ['a', 'b', 'c']).map(words.format)).toEqual([
      ...['bbc', 'cbc', 'aac', 'acc', 'aba', 'abb'],
    ]);
    expect(neighbours(nasBench201, nasBench201.parse(nasBench201.example)).length).toBe(24);
    // The path of no vertices: one of three operations in its edge or beside it.
    expect(neighbours(nasBench101, nasBench101.parse('2:1:')).map(nasBench101.format).sort()).toEqual(
      ['conv1x1-bn-relu', 'conv3x3-bn-relu', 'maxpool3x3']
        .flatMap((op) => [`3:101:${op}`, `3:111:${op}`])
        .sort(),
    );
  });

  it('of two are the two themselves', () => {
    const [a, b] = [
      ltsGpt2.parse('512:2:e256:k4:i1536,2048:h4,8'),
      ltsGpt2.parse('512:3:e256:k4:i1536,2048,2048:h4,8,8'),
    ];
    expect(neighbours(ltsGpt2, a)).toContainEqual(b);
    expect(neighbours(ltsGpt2, b)).toContainEqual(a);
  });
});

describe('mutants', () => {
  it('differ at one site, all sites and options being equally likely', () => {
    const random = Random.seeded(2);
    const counts = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const mutant = words.format(mutate(words, ['a', 'b', 'c'], random));
      counts.set(mutant, (counts.get(mutant) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(1000));
  });

  it('are refused where there are none', () => {
    const single = { ...words, choices: () => [] };
    expect(() => mutate(single, ['a'], Random.seeded(1))).toThrow(/'a' has no neighbours in Words/);
    expect(() => mutateEach(single, ['a'], 0.5, Random.seeded(1))).toThrow(/no neighbours/);
    expect(changeEach(single, ['a'], 1, Random.seeded(1))).toEqual(['a']);
  });

  it('differ at as many sites as a probability says, at one at least', () => {
    const random = Random.seeded(3);
    const arch = nasBench201.parse(nasBench201.example);
    const mean = (change: typeof mutateEach, probability: number): number => {
      let sum = 0;
      for (let i = 0; i < 4000; i++) sum += differences(arch, change(nasBench201, arch, probability, random));
      return sum / 4000;
    };
    expect(mean(changeEach, 0.4)).toBeCloseTo(6 * 0.4, 1);
    expect(mean(mutateEach, 0.4)).toBeCloseTo((6 * 0.4) / (1 - 0.6 ** 6), 1);
    expect(mean(mutateEach, 1e-12)).toBe(1);
    expect(mean(mutateEach, 1)).toBe(6);
  });

  it('have layers that are drawn where they have more', () => {
    const random = Random.seeded(4);
    const arch = autoFormerTiny.parse(autoFormerTiny.example);
    const deep = Array.from({ length: 2000 }, () => mutateEach(autoFormerTiny, arch, 0.4, random)).filter(
      ({ heads }) => heads.length === 14,
    );
    expect(deep.length).toBeGreaterThan(200);
    const share = deep.filter(({ heads }) => heads[13] === 4).length / deep.length;
    expect(Math.abs(share - 0.5)).toBeLessThan(0.1);
  });
});

describe('children', () => {
  it('have at every site what one of their parents has', () => {
    const random = Random.seeded(5);
    const children = new Set(
      Array.from({ length: 200 }, () =>
        words.format(crossover(words, ['a', 'a', 'a'], ['b', 'c', 'a'], random)),
      ),
    );
    expect([...children].sort()).toEqual(['aaa', 'aca', 'baa', 'bca']);
  });

  it('have layers of both parents, and the depth of one', () => {
    const random = Random.seeded(6);
    for (let i = 0; i < 200; i++) {
      const [a, b] = [autoFormerTiny.sample(random), autoFormerTiny.sample(random)];
      const child = crossover(autoFormerTiny, a, b, random);
      expect([a.heads.length, b.heads.length]).toContain(child.heads.length);
      expect([a.embedDim, b.embedDim]).toContain(child.embedDim);
      child.heads.forEach((heads, layer) => {
        expect([a.heads[layer], b.heads[layer]]).toContain(heads);
        expect([a.mlpRatios[layer], b.mlpRatios[layer]]).toContain(child.mlpRatios[layer]);
      });
    }
  });
});

describe('the distance', () => {
  it('is a sum over sites', () => {
    expect(distance(words, ['a', 'b', 'c'], ['a', 'c', 'b'])).toBe(2);
    const [a, b] = ['192:12', '240:13'].map((start, i) => {
      const depth = 12 + i;
      return autoFormerTiny.parse(
        `${start}:r${Array(depth).fill(4).join(',')}:h${Array(depth)
          .fill(i === 0 ? 3 : 4)
          .join(',')}`,
      );
    });
    expect(distance(autoFormerTiny, a!, b!)).toBeCloseTo(48 / 240 + 1 / 13 + 12 / 4 + 2, 12);
  });
});
