import { expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import { openReferences } from '../../app/resolve.js';
import { columnsNamed } from '../../app/score/columns.js';
import { planOf } from '../../app/score/plan.js';
import { scoreNetworks } from '../../app/score/score.js';
import { Resolver } from '../../networks/index.js';
import { scoreText } from './score.js';

it('says which sizes were chosen for a file that leaves them open, and how to change them', async () => {
  const resolver = new Resolver({
    open: () =>
      modelOf({
        inputs: ['x: batch,3,height,width'],
        nodes: ['a = Conv(x, w)', 'h = Relu(a)', 'p = GlobalAveragePool(h)', 'y = Flatten(p)'],
        outputs: ['y'],
        initializers: [tensor('w', [4, 3, 3, 3])],
      }),
  });
  const columns = columnsNamed(['params', 'snip']);
  const networks = await openReferences(['net.onnx'], { resolver });
  const found = await scoreNetworks(networks, { threads: 1, plan: planOf({}, columns), columns });
  const text = scoreText(found, 200);
  expect(text).toMatch(/size 'height' is (\d+), .*; change it with --shape x=1x3x\1x\1/);
  expect(text).toMatch(/size 'width' is \d+/);

  const cost = columnsNamed(['flops']);
  const counted = await scoreNetworks(networks, { threads: 1, plan: planOf({}, cost), columns: cost });
  expect(scoreText(counted, 200)).toMatch(/size 'height' is (\d+), .*; change it with --shape x=1x3x\1x\1/);
  const two = await openReferences(['a.onnx', 'b.onnx'], { resolver });
  const pool = await scoreNetworks(two, { threads: 1, plan: planOf({}, cost), columns: cost });
  expect(scoreText(pool, 400)).toMatch(
    /sizes were chosen of 2 networks; of #0: size 'height' is \d+, .*--shape x=/,
  );

  const told = planOf({ sizes: { shapes: { x: [2, 3, 32, 32] } } }, columns);
  const given = await scoreNetworks(networks, { threads: 1, plan: told, columns });
  expect(scoreText(given, 200)).not.toContain('change it with');
});
