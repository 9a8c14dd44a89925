import * as ort from 'onnxruntime-node';
import { afterEach, describe, expect, it } from 'vitest';
import { modelOf } from '../analysis/models.testing.js';
import { importRuntime } from './import-runtime.browser.js';
import { loadRuntime, type RuntimeModule, useRuntime } from './runtime.js';
import { hostTensor, Session } from './session.js';

afterEach(() => useRuntime(undefined));

describe('useRuntime', () => {
  it('takes the runtime that an application passes, in its own thread', async () => {
    const sizes: number[] = [];
    const own = {
      Tensor: ort.Tensor,
      InferenceSession: {
        create: (...[bytes, ...rest]: Parameters<typeof ort.InferenceSession.create>) => {
          sizes.push((bytes as unknown as Uint8Array).length);
          return ort.InferenceSession.create(bytes, ...rest);
        },
      },
    };
    useRuntime(own as RuntimeModule);
    const model = modelOf({ inputs: ['x: 2'], nodes: ['y = Add(x, x)'], outputs: ['y'] });
    const session = await Session.create(model, { isApart: true });
    const { y } = await session.run({ x: await hostTensor('float32', Float32Array.of(1, 2), [2]) });
    expect([...(y!.data as Float32Array)]).toEqual([2, 4]);
    expect(sizes).toEqual([expect.any(Number)]);
    // A whole module is taken as it is, as TypeScript sees it, too.
    useRuntime(ort);
    expect((await loadRuntime()).module.Tensor).toBe(ort.Tensor);
  });

  it('finds the native one under Node, once', async () => {
    const runtime = await loadRuntime();
    expect(runtime.isNative).toBe(true);
    expect(await loadRuntime()).toBe(runtime);
    useRuntime('web');
    expect((await loadRuntime()).isNative).toBe(false);
  });
});

describe('a bundled page', () => {
  it('imports the runtime of pages only', async () => {
    expect(await importRuntime('web')).toHaveProperty('InferenceSession');
    await expect(importRuntime('node')).rejects.toThrow('a page has no onnxruntime-node');
  });
});
