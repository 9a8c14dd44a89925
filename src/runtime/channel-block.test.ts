import * as ort from 'onnxruntime-node';
import { afterEach, expect, it } from 'vitest';
import { channelBlock } from './channel-block.js';
import { useRuntime } from './runtime.js';

afterEach(() => useRuntime(undefined));

it('finds blocks of 8 or 16 channels, or none, the same every time', async () => {
  const block = await channelBlock();
  expect([8, 16, undefined]).toContain(block);
  expect(await channelBlock({ providers: ['cpu'] })).toBe(block);
});

it('finds none where others than the processor run the model, or another runtime does', async () => {
  expect(await channelBlock({ providers: ['cuda', 'cpu'] })).toBeUndefined();
  useRuntime(ort as never);
  expect(await channelBlock()).toBeUndefined();
});
