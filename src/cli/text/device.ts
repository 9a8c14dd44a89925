// Devices for people.
import { baseOf, type NamedDevice } from '../../app/device/library.js';
import type { RefittedDevice } from '../../app/device/refit.js';
import type { Similarity } from '../../app/device/similar.js';
import type { LeftRow, TrainedDevice } from '../../app/device/train.js';
import { settingText } from './device-answers.js';
import { formatExact, table, wrap } from './format.js';

const right = (title: string) => ({ title, align: 'right' as const });
const MOST_SIMILAR = 8;

export function deviceListText(devices: readonly NamedDevice[]): string {
  const rows = devices.map(({ device }) => [
    device.name,
    device.measured.device,
    formatExact(device.measured.networks),
    device.error === null ? '' : `${device.error.mape.toFixed(1)}%`,
    device.error?.leftOut ?? '',
  ]);
  const columns = [
    { title: 'device' },
    { title: 'measured on', flexible: 'start' as const },
    right('networks'),
    right('error'),
    { title: 'left out' },
  ];
  return [
    ...table(columns, rows, 0),
    '',
    ...wrap(
      'error: the mean error of predictions for networks, or for whole families of networks, that were left out. ' +
        'auspex device show NAME says how a device was measured.',
    ),
  ].join('\n');
}

export function deviceShowText({ device, file }: NamedDevice): string {
  const { name, quantity, unit, measured, error } = device;
  const base = baseOf(device);
  const families = measured.families === null ? '' : ` of ${formatExact(measured.families)} families`;
  const kernels = measured.kernels === undefined ? '' : `, ${formatExact(measured.kernels)} kernels`;
  const facts: [string, string][] = [
    ['predicts', `${quantity} (${unit})`],
    ['measured', `${settingText(device)}${measured.date === null ? '' : `, ${measured.date}`}`],
    ['networks', `${formatExact(measured.networks)}${families}${kernels}`],
    ['source', measured.source],
    ...(error === null ? [] : ([['error', errorText(error)]] as [string, string][])),
    ['model', device.model.kind],
    ...(base.length === 0 ? [] : ([['starts from', base.join(', ')]] as [string, string][])),
    ...(file === undefined ? [] : ([['file', file]] as [string, string][])),
  ];
  return [name, ...facts.flatMap(([title, text]) => wrap(`${`${title}:`.padEnd(13)}${text}`, 2, 15))].join(
    '\n',
  );
}

function errorText(error: NonNullable<NamedDevice['device']['error']>): string {
  const { mape, medianError, within10, coverage, networks, leftOut } = error;
  const median = medianError === undefined ? '' : `, median ${medianError.toFixed(1)}%`;
  const held = coverage === null ? '' : `; 90% intervals hold ${(100 * coverage).toFixed(0)}%`;
  return (
    `mean ${mape.toFixed(1)}%${median}, ${(100 * within10).toFixed(0)}% within 10%${held} ` +
    `(${formatExact(networks)} networks, ${leftOut} left out)`
  );
}

/** Rows that are predicted worst. */
const MOST_ROWS = 5;

export function trainedDeviceText({ device, file, rows }: TrainedDevice): string {
  const { error, measured, name } = device;
  const off = ({ ms, predicted }: LeftRow): number => Math.abs(predicted / ms - 1);
  const worst = rows.toSorted((a, b) => off(b) - off(a)).slice(0, MOST_ROWS);
  const lines = worst.map((row) => [
    row.name,
    row.ms.toPrecision(4),
    row.predicted.toPrecision(4),
    `${(100 * off(row)).toFixed(1)}%`,
  ]);
  const columns = [
    { title: 'largest errors', flexible: 'middle' as const },
    right('measured ms'),
    right('predicted'),
    right('error'),
  ];
  return [
    `${name}: fitted to ${formatExact(measured.networks)} networks`,
    ...(error === null ? [] : wrap(`error: ${errorText(error)}`, 2, 4)),
    '',
    ...table(columns, lines, 2),
    '',
    `Written to ${file}. Use it:`,
    `  auspex predict net.onnx --device ${file}`,
  ].join('\n');
}

export function refitText({ device, file, before, skipped }: RefittedDevice): string {
  const { name, measured, error } = device;
  return [
    `${name}: fitted to ${formatExact(measured.networks)} networks measured on ${measured.device}`,
    ...(before === null ? [] : [`  before: mean error ${before.mape.toFixed(1)}% on the same networks`]),
    ...(error === null ? [] : wrap(`now: ${errorText(error)}`, 2, 4)),
    ...(skipped.length === 0
      ? []
      : wrap(`not found again, so left out: ${skipped.slice(0, MOST_ROWS).join(', ')}`, 2, 4)),
    ...wrap(`written to ${file}; use it: auspex predict net.onnx --device ${name}`, 2, 4),
  ].join('\n');
}

export function similarText({ to, networks, devices }: Similarity): string {
  const shown = devices.slice(0, MOST_SIMILAR);
  const rows = shown.map(({ name, device, factor, error, spearman }) => [
    name,
    device,
    `${factor.toPrecision(3)} ×`,
    `${error.toFixed(1)}%`,
    spearman.toFixed(3),
  ]);
  const columns = [
    { title: 'device' },
    { title: 'measured on', flexible: 'start' as const },
    right('time'),
    right('error'),
    right('rank corr.'),
  ];
  return [
    ...wrap(`Devices most like ${to}, by ${formatExact(networks)} networks:`),
    ...table(columns, rows, 2),
    '',
    ...wrap(
      'time: how long the device takes, compared. error: the mean error when its predictions, times a constant, are used.',
    ),
  ].join('\n');
}
