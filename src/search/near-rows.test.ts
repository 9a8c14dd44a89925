import { expect, it } from 'vitest';
import { darts } from '../spaces/cells/darts.js';
import { nasBench101 } from '../spaces/cells/nasbench101.js';
import { distance } from '../spaces/choices.js';
import type { AnySpace } from '../spaces/space.js';
import { autoFormerTiny } from '../spaces/transformers/autoformer.js';
import { Random } from '../util/random.js';
import { NearRows } from './near-rows.js';

const spaces: AnySpace[] = [autoFormerTiny, darts, nasBench101];

it.each(spaces.map((space) => [space.name, space] as const))(
  'rows of %s are in the order of their distances',
  (_, space) => {
    const random = Random.seeded(1);
    const archs = Array.from({ length: 60 }, () => space.sample(random));
    const texts = [...new Set(archs.slice(0, 40).map(space.format))];
    const rows = new NearRows(space, texts);
    for (const arch of archs) {
      const distances = rows.fromNearest(arch).map((text) => distance(space, arch, space.parse(text)));
      distances.forEach((d, i) => {
        if (i > 0) expect(d).toBeGreaterThanOrEqual(distances[i - 1]! - 1e-12);
      });
      const all = texts.map((text) => distance(space, arch, space.parse(text)));
      const least = Math.min(...all);
      const nearest = texts.filter((_, i) => all[i]! < least + 1e-12);
      expect(rows.nearest(arch).every((text) => nearest.includes(text))).toBe(true);
      expect(rows.fromNearest(arch)).not.toContain(space.format(arch));
    }
    expect(rows.nearest(archs[0], space.format(archs[0]))).not.toContain(space.format(archs[0]));
  },
);
