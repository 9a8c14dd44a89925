import { expect, it } from 'vitest';
import { madeUp } from '../../predictors/devices/kernels/kernels.testing.js';
import { fitKernels, latencyMs } from './fit.js';
import type { MeasuredNetwork } from './measured-network.js';

const SPACES = [
  'nnlqp-squeezenet',
  'nasbench201',
  'nnlqp-alexnet',
  'nnlqp-mnasnet',
  'nats-size',
  'nnlqp-resnet',
];

function measured(space: string): MeasuredNetwork[] {
  return madeUp(space, 4).map(({ network, timed, ms }) => ({
    network: network.ref,
    family: space,
    wallMs: ms,
    cpuMs: ms,
    seconds: 1,
    runtime: null,
    outputBytes: 4000,
    kernels: timed.map(({ kernel: { operator, layout, inputs, outputs }, us }) => [
      operator,
      layout === 'blocked',
      inputs.map((sizes) => [...sizes]),
      outputs.map((sizes) => [...sizes]),
      us,
    ]),
  }));
}

it('finds the error with families left out', async () => {
  const networks = SPACES.flatMap(measured);
  const steps: number[] = [];
  const { model, error } = await fitKernels(
    networks,
    { blockChannels: 16, threads: 1 },
    { progress: (done) => steps.push(done) },
  );
  expect(error).toMatchObject({ leftOut: 'families', networks: networks.length });
  expect(error!.medianError).toBeLessThan(15);
  expect(model.error90).toBeGreaterThan(0);
  expect(steps).toEqual([1, 2, 3, 4, 5, 8]);
});

it('takes time of the processor where others disturbed a run, at one thread', () => {
  const [one] = measured('nasbench201');
  expect(latencyMs({ ...one!, wallMs: 3, cpuMs: 2 }, 1)).toBe(2);
  expect(latencyMs({ ...one!, wallMs: 2.1, cpuMs: 2 }, 1)).toBe(2.1);
  expect(latencyMs({ ...one!, wallMs: 3, cpuMs: 2 }, 2)).toBe(3);
});
