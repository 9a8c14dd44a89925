// What predictions for devices rest on, for people.
import type { DeviceAnswer } from '../../app/device/answers.js';
import type { Answer } from '../../app/predict.js';
import type { Device } from '../../predictors/devices/device.js';
import { wrap } from './format.js';

export function deviceLines(answers: readonly Answer[]): string[] {
  const found = answers.flatMap(({ device }) => (device === undefined ? [] : [device]));
  if (found.length === 0) return [];
  return ['', ...found.flatMap((answer) => wrap(answerText(answer), 2, 4))];
}

function answerText({ device, measured, unknown, rests }: DeviceAnswer): string {
  const { name } = device;
  if (measured !== undefined) {
    const { device: on, date, runtime, threads, runs, wasBusy } = measured;
    const how = [
      ...(runtime === null ? [] : [runtime]),
      `${threads} ${threads === 1 ? 'thread' : 'threads'}`,
    ];
    const busy = wasBusy ? '; the machine was busy then, so it may be faster' : '';
    return `${name}: measured on ${on}, ${date.slice(0, 10)} (${how.join(', ')}, median of ${runs} runs)${busy}`;
  }
  const never =
    unknown.length === 0
      ? ''
      : `; never measured there, so the interval is wider: ${unknown.slice(0, 8).join(', ')}`;
  const rest = rests.length === 0 ? '' : `; ${rests.join('; ')}`;
  return `${name}: ${settingText(device)}${errorText(device)}${rest}${never}`;
}

/** How a device was measured. */
export function settingText({ measured }: Device): string {
  const { device, runtime, precision, batch, perImage, threads } = measured;
  return [
    device,
    ...(runtime === null ? [] : [runtime]),
    ...(precision === null ? [] : [precision]),
    perImage ? 'per image of large batches' : batch === null ? 'batch unknown' : `batch ${batch}`,
    ...(threads === null ? [] : [`${threads} ${threads === 1 ? 'thread' : 'threads'}`]),
  ].join(', ');
}

function errorText({ error }: Device): string {
  return error === null ? '' : `; mean error ${error.mape.toFixed(1)}% on ${error.leftOut} left out`;
}
