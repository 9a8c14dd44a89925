// The result of `auspex device calibrate` for people.
import type { CalibrationDocument } from '../../app/documents/calibration.js';
import { duration } from '../progress.js';
import { formatExact, wrap } from './format.js';

export function calibrationText(document: CalibrationDocument): string {
  const { file, device, seconds, busy, classes, failures } = document;
  const { measured, error } = device;
  const lines = [
    `${file}: ${device.name}`,
    `  ${measured.device}, ${measured.runtime ?? 'unknown runtime'}, ${measured.threads} thread${measured.threads === 1 ? '' : 's'}, batch ${measured.batch}`,
    `  ${formatExact(measured.networks)} networks of ${measured.families} families, ${formatExact(measured.kernels ?? 0)} kernels of ${classes.length} classes, ${duration(seconds)}`,
  ];
  if (error !== null) {
    lines.push(
      `  error on families left out: ${error.mape.toFixed(1)}% on average, ${(error.medianError ?? 0).toFixed(1)}% in the middle; ${Math.round(100 * error.within10)}% of networks within 10%`,
    );
  }
  if (busy > 0) {
    const share = Math.round((100 * busy) / measured.networks);
    lines.push(
      `  the machine was busy during ${share}% of the networks; for these, time of the processor was used. Close other programs and calibrate again for better predictions`,
    );
  }
  if (failures.length > 0) {
    const [{ network, error: first }] = failures as [CalibrationDocument['failures'][number]];
    lines.push(
      `  ${failures.length} networks could not be measured, the first: ${network}: ${first.message}`,
    );
  }
  lines.push(`predict with it: auspex predict net.onnx --device ${file}`);
  return lines.flatMap((line) => wrap(line.trimStart(), line.length - line.trimStart().length)).join('\n');
}
