import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { nasBench201 } from '../../spaces/cells/nasbench201.js';
import { Random } from '../../util/random.js';
import { column } from '../labels.js';
import { freeLabels, randomFlow } from './free-labels.js';

describe('what flows through a cell', () => {
  const flow = randomFlow(1, nasBench201.identities);
  const through = (text: string): number[] => flow(nasBench201.prunedCell!(nasBench201.parse(text)));

  it('is the same for cells that compute the same', () => {
    // A skip from 0 to 1 and a convolution from 1 to 3, or the convolution from 0 to 3.
    const one = through('|skip_connect~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|none~2|');
    const other = through('|none~0|+|none~0|none~1|+|nor_conv_3x3~0|none~1|none~2|');
    expect(one).toEqual(other);
  });

  it('differs where operations or connections do', () => {
    const texts = [
      '|none~0|+|none~0|none~1|+|nor_conv_3x3~0|none~1|none~2|',
      '|none~0|+|none~0|none~1|+|nor_conv_1x1~0|none~1|none~2|',
      '|nor_conv_3x3~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|none~2|',
      '|none~0|+|none~0|none~1|+|none~0|none~1|none~2|',
    ];
    expect(new Set(texts.map((text) => through(text).join())).size).toBe(texts.length);
  });

  it('does not change when it is asked again', () => {
    const text = '|nor_conv_3x3~0|+|skip_connect~0|avg_pool_3x3~1|+|none~0|nor_conv_1x1~1|skip_connect~2|';
    expect(through(text)).toEqual(through(text));
    expect(randomFlow(2, nasBench201.identities)(nasBench201.cell!(nasBench201.parse(text)))).not.toEqual(
      through(text),
    );
  });
});

it('free labels are those of the network, without what never changes', () => {
  const random = Random.seeded(2);
  const archs = Array.from({ length: 20 }, () => nasBench201.sample(random));
  const labels = freeLabels(nasBench201, archs, (arch) => nasBench201.prunedCell!(arch as never), 3);
  expect(labels.names.slice(0, 3)).toEqual(['parameters', 'macs', 'depth']);
  expect(labels.values.length).toBe(20 * labels.names.length);
  labels.names.forEach((_, i) => {
    expect(new Set(column(labels, i)).size).toBeGreaterThan(1);
  });
});
