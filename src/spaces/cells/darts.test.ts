import { describe, expect, it } from 'vitest';
import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import { Random } from '../../util/random.js';
import { describeSpace, expectRuns } from '../conformance.testing.js';
import { darts } from './darts.js';
import { type Darts, dartsNetwork } from './darts-network.js';

const CELL = 'sep3~0+sep3~1,sep3~0+sep3~1,skip~0+sep3~1,skip~0+dil3~2';

describeSpace(darts, {
  small: { resolution: 8, width: 0.125 },
  refused: [
    ['', /1 cells/],
    [CELL, /1 cells/],
    [`${CELL}/sep3~0+sep3~1`, /the reduction cell has 2 edges, not 8/],
    [`${CELL.replace('+', ',')}/${CELL}`, /'sep3~0' of the normal cell has 1 edges/],
    [`${CELL}/${CELL.replace('dil3', 'dil7')}`, /unknown operation 'dil7'/],
    [`${CELL}/${CELL.replace('~2', '~5')}`, /node 4 of the reduction cell reads '5', not one of 0 to 4/],
    [`${CELL}/${CELL.replace('~2', '')}`, /node 4 of the reduction cell reads '', not/],
    [`${CELL.replace('~1', '~0')}/${CELL}`, /node 1 of the normal cell reads 0 twice/],
    ['[[(0, 1), (1, 1)]]', /1 lists/],
    ['[[(0, 1), (1, 1)], [(0, 1), (1, 1)]]', /normal cell has 2 edges/],
    ['Genotype(normal=[])', /no list 'reduce'/],
    ["Genotype(normal=[('skip_connect', 0)], normal_concat=[4, 5], reduce=[])", /normal_concat is \[4, 5\]/],
  ],
});

/** Cells that others have published, with the parameters of the network of 20 cells and 36 channels. */
const PUBLISHED = [
  // The command line of DARTS prints 3.349342MB.
  [
    'DARTS',
    "Genotype(normal=[('sep_conv_3x3', 0), ('sep_conv_3x3', 1), ('sep_conv_3x3', 0), ('sep_conv_3x3', 1), ('sep_conv_3x3', 1), ('skip_connect', 0), ('skip_connect', 0), ('dil_conv_3x3', 2)], normal_concat=[2, 3, 4, 5], reduce=[('max_pool_3x3', 0), ('max_pool_3x3', 1), ('skip_connect', 2), ('max_pool_3x3', 1), ('max_pool_3x3', 0), ('skip_connect', 2), ('skip_connect', 2), ('max_pool_3x3', 1)], reduce_concat=[2, 3, 4, 5])",
    3_349_342,
  ],
  // https://github.com/chenxin061/pdarts/issues/7
  [
    'P-DARTS',
    "Genotype(normal=[('skip_connect', 0), ('dil_conv_3x3', 1), ('skip_connect', 0), ('sep_conv_3x3', 1), ('sep_conv_3x3', 1), ('sep_conv_3x3', 3), ('sep_conv_3x3', 0), ('dil_conv_5x5', 4)], normal_concat=range(2, 6), reduce=[('avg_pool_3x3', 0), ('sep_conv_5x5', 1), ('sep_conv_3x3', 0), ('dil_conv_5x5', 2), ('max_pool_3x3', 0), ('dil_conv_3x3', 1), ('dil_conv_3x3', 1), ('dil_conv_5x5', 3)], reduce_concat=range(2, 6))",
    3_433_798,
  ],
] as const;

describe('DARTS', () => {
  it.each(PUBLISHED)('has the parameters of %s', (_, text, published) => {
    const model = dartsNetwork('darts', darts.parse(text), { layers: 20, channels: 36 });
    expect(cost(inferShapes(model)).totals.parameters).toBe(published);
  });

  // 180 ways to connect a cell times 7⁸ operations, squared.
  it('has more than 10¹⁸ networks', () => {
    expect(darts.size).toBe((180n * 7n ** 8n) ** 2n);
  });

  it('reads a genotype, and pairs of input and operation', () => {
    expect(darts.format(darts.parse(PUBLISHED[0][1]))).toBe(darts.example);
    const pairs =
      '[[(0, 3), (1, 3), (1, 3), (0, 3), (1, 3), (0, 2), (0, 2), (2, 5)], [(0, 0), (1, 0), (2, 2), (1, 0), (0, 0), (2, 2), (2, 2), (1, 0)]]';
    expect(darts.format(darts.parse(pairs))).toBe(darts.example);
  });

  it('has networks of one hash where only the order of nodes differs', () => {
    const [a, b, c] = [
      'sep3~0+skip~1,dil5~0+max3~1,skip~0+avg3~2,sep5~1+sep5~2',
      'dil5~0+max3~1,sep3~0+skip~1,sep5~1+sep5~3,skip~0+avg3~3',
      // The third node reads another.
      'dil5~0+max3~1,sep3~0+skip~1,sep5~1+sep5~2,skip~0+avg3~3',
    ].map((cell) => darts.hash!(darts.parse(`${cell}/${CELL}`)));
    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });

  it('has a graph in which every operation lies between the input and the output', () => {
    const { ops, adjacency } = darts.cell!(darts.parse(darts.example));
    expect(ops.length).toBe(24);
    const targets = (i: number): number[] => adjacency[i]!.flatMap((edge, j) => (edge ? [j] : []));
    expect(targets(0)).toEqual([1, 2, 12, 13]);
    // The first input of the normal cell feeds four operations, the first node the one that reads it.
    expect(targets(1).map((j) => ops[j])).toEqual([
      'sep_conv_3x3',
      'sep_conv_3x3',
      'skip_connect',
      'skip_connect',
    ]);
    expect(targets(3).map((j) => ops[j])).toEqual(['dil_conv_3x3', 'normal_output']);
    expect(targets(11)).toEqual([23]);
    expect(targets(22)).toEqual([23]);
  });

  it('normalises as the network that searches if told, and takes sides that are odd', async () => {
    const arch = darts.sample(Random.seeded(7));
    const searching = {
      ...darts,
      network: (a: Darts, options = {}) => dartsNetwork('darts', a, { ...options, norms: 'search' }),
    };
    const options = { resolution: 7, width: 0.125, batch: 2, classes: 7 };
    await expectRuns(searching, arch, options);
    const parameters = [searching, darts].map(
      (space) => cost(inferShapes(space.network(arch, options))).totals.parameters,
    );
    expect(parameters[0]).toBeLessThan(parameters[1]!);
  });
});
