import { expect, it } from 'vitest';
import type { Device } from '../device.js';
import { type DeviceLibrary, openDevice } from '../device.js';
import { BLOCK, madeUp } from './kernels.testing.js';
import { KERNELS, type KernelModel, kernelPrediction } from './model.js';
import { corrected, fitCorrection, sumOfKernels } from './network-time.js';
import { fitTimes } from './times.js';

const known = [
  ...madeUp('nnlqp-squeezenet', 12),
  ...madeUp('nasbench201', 12),
  ...madeUp('nnlqp-mobilenetv3', 8),
];
const times = fitTimes(known.flatMap(({ timed }) => timed));
const sums = known.map(({ timed }) =>
  sumOfKernels(
    times,
    timed.map(({ kernel }) => kernel),
    4000,
  ),
);
const correction = fitCorrection(
  sums,
  known.map(({ ms }) => ms),
);
const model: KernelModel = { kind: KERNELS, blockChannels: BLOCK, times, correction, error90: 0.1 };
const device = {
  schema: 'auspex.device/1',
  name: 'made-up',
  quantity: 'latency',
  unit: 'ms',
  error: null,
  model,
} as unknown as Device;

/** Needs no other device. */
const NO_LIBRARY = {} as DeviceLibrary;

it('predicts networks of known families', () => {
  for (const { network, ms } of [...madeUp('nnlqp-squeezenet', 3, 9), ...madeUp('nasbench201', 3, 9)]) {
    const { value, low, high, unknown } = kernelPrediction(model, network);
    expect(Math.abs(value / ms - 1)).toBeLessThan(0.06);
    expect([low < ms, ms < high]).toEqual([true, true]);
    expect(unknown).toEqual([]);
  }
});

it('predicts a family of the same kernels that was not measured', () => {
  for (const { network, ms } of madeUp('nnlqp-mnasnet', 4, 1)) {
    expect(Math.abs(kernelPrediction(model, network).value / ms - 1)).toBeLessThan(0.2);
  }
});

it('names kernels that were not measured, and widens the interval', () => {
  const [attention] = madeUp('autoformer-tiny', 1);
  const { unknown, low, high, rests } = kernelPrediction(model, attention!.network);
  expect(unknown).toEqual(expect.arrayContaining(['Softmax', 'Transpose']));
  expect(high / low).toBeGreaterThan(Math.exp(0.2));
  expect(rests.join()).toContain('not measured');
});

it('adds what runs take beyond their kernels', () => {
  const flat = known.map(({ timed, ms }, i) => ({ ms: ms - 0.02, kernels: timed.length, outputBytes: i }));
  const found = fitCorrection(
    flat,
    known.map(({ ms }) => ms),
  );
  flat.forEach((sum, i) => {
    expect(Math.abs(corrected(sum, found) / known[i]!.ms - 1)).toBeLessThan(0.01);
  });
});

it('is read from a device file, rounded as that is', async () => {
  const read = JSON.parse(JSON.stringify(device)) as Device;
  const [{ network }] = madeUp('nasbench201', 1, 4) as [ReturnType<typeof madeUp>[number]];
  const [prediction] = await (await openDevice(read, NO_LIBRARY)).predict([network]);
  expect(prediction).toEqual(kernelPrediction(model, network));
});

it('refuses a device file that it did not write', async () => {
  const bad = { ...device, model: { ...model, blockChannels: -1 } };
  await expect(openDevice(bad, NO_LIBRARY)).rejects.toMatchObject({ code: 'DEVICE_FILE' });
});
