import { expect, it } from 'vitest';
import { computed, golden } from './nar-former-v2.testing.js';
import { narFormerV2Loss } from './nar-former-v2-loss.js';

it.each(golden.losses)("narFormerV2Loss is PyTorch's, $loss", async ({ p, y, order, loss }) => {
  const dims = [p.length, 1];
  const batch = {
    p: { type: 'float32', dims, data: Float32Array.from(p) },
    y: { type: 'float32', dims, data: Float32Array.from(y) },
    order: { type: 'int64', dims: [p.length], data: BigInt64Array.from(order, BigInt) },
  } as const;
  const found = await computed(batch, (_, inputs) => narFormerV2Loss(inputs.p!, inputs.y!, inputs.order!));
  expect(Math.abs(found[0]! - loss) / loss).toBeLessThan(1e-5);
});
