import { describe, expect, it } from 'vitest';
import { autoFormerTiny } from '../spaces/autoformer.js';
import { hwGptS } from '../spaces/hwgpt.js';
import { ltsGpt2 } from '../spaces/lts-gpt2.js';
import { nasBench201 } from '../spaces/nasbench201.js';
import { natsSize } from '../spaces/nats-size.js';
import { ofaMobileNetV3 } from '../spaces/ofa-mobilenetv3.js';
import type { AnySpace } from '../spaces/space.js';
import { Random } from '../util/random.js';
import { binomial, choiceCount, firstDifference, neighbours, partsOf, withChanges } from './sites.js';
import { digitSpace } from './toy.testing.js';

describe('choices of an architecture', () => {
  it('are counted by what neighbours change', () => {
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
    }
  });

  it('are seen one by one in texts that have nothing between them', () => {
    expect(partsOf('r160-k3e4k5e6-k7e3')).toEqual([['r160'], ['k3', 'e4', 'k5', 'e6'], ['k7', 'e3']]);
    expect(partsOf('192:12:r3.5,4:h3,4')).toEqual([['192'], ['12'], ['r3.5', '4'], ['h3', '4']]);
    expect(partsOf('|nor_conv_3x3~0|')).toEqual([[''], ['nor_conv_3x3~0'], ['']]);
    const arch = ofaMobileNetV3.parse(ofaMobileNetV3.example);
    // The resolution, five depths, and kernel and expansion of fourteen layers.
    expect(choiceCount(ofaMobileNetV3, arch)).toBe(1 + 5 + 2 * 14);
  });

  it('are made differently at as many places as asked for', () => {
    const random = Random.seeded(2);
    const space = digitSpace(12, 4);
    for (let changes = 1; changes <= 12; changes++) {
      const arch = space.sample(random);
      const changed = withChanges(space, arch, changes, random);
      expect(changed.filter((digit, i) => digit !== arch[i]).length).toBe(changes);
    }
    const spaces: AnySpace[] = [autoFormerTiny, ltsGpt2, nasBench201];
    for (const any of spaces) {
      const changed = withChanges(any, any.parse(any.example), 100, random);
      expect(any.format(any.parse(any.format(changed)))).toBe(any.format(changed));
    }
  });

  it('are drawn binomially', () => {
    const random = Random.seeded(3);
    const counts = Array.from({ length: 4000 }, () => binomial(26, 0.4, random));
    const mean = counts.reduce((a, b) => a + b) / counts.length;
    const variance = counts.reduce((a, b) => a + (b - mean) ** 2, 0) / counts.length;
    expect(Math.abs(mean - 10.4)).toBeLessThan(4 * Math.sqrt(6.24 / 4000));
    expect(Math.abs(variance - 6.24)).toBeLessThan(0.6);
  });
});

describe('neighbours', () => {
  it('are all found', () => {
    const random = Random.seeded(4);
    const space = digitSpace(6, 4);
    for (let i = 0; i < 20; i++) expect(neighbours(space, space.sample(random), random).length).toBe(18);
    expect(neighbours(nasBench201, nasBench201.sample(random), random).length).toBe(24);
  });
});

describe('the first difference', () => {
  it('is a place, a length or nothing', () => {
    const between = (a: string, b: string): string | undefined => firstDifference(partsOf(a), partsOf(b));
    expect(between('192:12:r3,4', '192:12:r3,4')).toBeUndefined();
    expect(between('192:12:r3,4', '192:12:r3,3')).toBe('2 1');
    expect(between('192:12:r3,4', '192:13:r3,4,4')).toBe('1 0');
    expect(between('a,b', 'a,b,c')).toBe('0 length');
    expect(between('a;b', 'a')).toBe('fields');
  });
});
