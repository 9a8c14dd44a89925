// What networks that read tokens in order share: who may attend to whom, and rotary positions.
import { KIND_KEY } from '../../analysis/parameters.js';
import { fromNumbers } from '../../graph/tensor.js';
import type { Builder, Value } from '../../ops/build.js';

/** Which tokens a token may attend to: itself and those before it. (n, n) of booleans. */
export function causalMask(builder: Builder, n: number): Value {
  const positions = Array.from({ length: n }, (_, i) => i);
  const rows = builder.constant(positions, 'int64', [n, 1]);
  return rows.greaterOrEqual(builder.constant(positions, 'int64', [1, n]));
}

/** Cosine and sine of the angle of every position and channel, (n, width) each. */
export interface Rotation {
  readonly cos: Value;
  readonly sin: Value;
}

/**
 * Angles of rotary positions (Su et al. 2021): position p turns channels i and i + width/2 by p·10000^(−2i/width).
 *
 * @param width of the channels that are turned; even.
 */
export function rotation(builder: Builder, n: number, width: number): Rotation {
  const table = (name: string, f: (angle: number) => number): Value => {
    const values = new Float32Array(n * width);
    for (let p = 0; p < n; p++) {
      for (let c = 0; c < width; c++) {
        values[p * width + c] = f(p * 10_000 ** ((-2 * (c % (width / 2))) / width));
      }
    }
    const metadata = new Map([[KIND_KEY, 'setting']]);
    return builder.initializer({ ...fromNumbers(`rotary.${name}`, 'float32', [n, width], values), metadata });
  };
  return { cos: table('cos', Math.cos), sin: table('sin', Math.sin) };
}

/** The first channels turned by their positions, the rest as they are: (B, H, n, h) → (B, H, n, h). */
export function rotated(x: Value, { cos, sin }: Rotation): Value {
  const width = cos.length(-1);
  const rest = x.length(-1) - width;
  const [left, right, ...others] = x.split([width / 2, width / 2, ...(rest > 0 ? [rest] : [])], -1);
  const { builder } = x;
  const turned = builder
    .concat([left!, right!], -1)
    .mul(cos)
    .add(builder.concat([right!.neg(), left!], -1).mul(sin));
  return builder.concat([turned, ...others], -1);
}
