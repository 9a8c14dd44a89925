// What a conversion did, as people read it.
import type { Converted, ConvertedFile } from '../../app/convert/convert.js';
import type { Change } from '../../transform/transform.js';
import { formatBytes, wrapLines } from './format.js';

export function conversionText(converted: Converted): string {
  const { input, output, changes } = converted;
  const lines = [fileLine(input), ...(output ? [fileLine(output)] : []), '', ...changeLines(changes)];
  const verification = verificationText(converted);
  return [...lines, ...(verification === undefined ? [] : ['', wrapLines(verification)])].join('\n');
}

function fileLine({ file, bytes, opset, irVersion, nodes }: ConvertedFile): string {
  const parts = [`opset ${opset ?? 'none'}`, `IR ${irVersion}`, `${nodes} node${nodes === 1 ? '' : 's'}`];
  return `${file}: ${[...parts, ...(bytes === undefined ? [] : [formatBytes(bytes)])].join(', ')}`;
}

/** The same done to several nodes is one line. */
function changeLines(changes: readonly Change[]): string[] {
  if (changes.length === 0) return ['No changes were needed.'];
  const counts = new Map<string, { change: Change; count: number }>();
  for (const change of changes) {
    const key = JSON.stringify([change.transform, change.operator, change.what]);
    const known = counts.get(key);
    if (known) known.count++;
    else counts.set(key, { change, count: 1 });
  }
  const lines = [...counts.values()].map(({ change, count }) => {
    const times = count > 1 ? ` ×${count}` : '';
    const subject = change.operator === undefined ? '' : `${change.operator}${times}: `;
    return wrapLines(`  ${subject}${change.what}`);
  });
  return ['Changes', ...lines];
}

function verificationText({ verification, tolerance, cosine, output }: Converted): string | undefined {
  if (output === undefined) return 'Nothing was written.';
  if (verification === undefined) return 'Not verified.';
  if (verification.status === 'not run') {
    const now = verification.isRun ? 'the converted file loads' : 'the converted file does not load either';
    return `Not verified: ONNX Runtime cannot run the original (${now}). ${verification.reason}`;
  }
  const shapes = Object.entries(verification.inputs).map(
    ([name, { dims }]) => `${name} ${dims.join('x') || 'scalar'}`,
  );
  const on = shapes.length > 0 ? ` on ${shapes.join(', ')}` : '';
  const worst = verification.outputs.reduce((a, b) => (b.relative > a.relative ? b : a));
  if (worst.absolute === 0) return `Verified in ONNX Runtime${on}: the outputs are equal.`;
  const far = `output '${worst.name}' differs by ${worst.absolute.toExponential(1)} at most`;
  const share = `${worst.relative.toExponential(1)} of its largest number`;
  const judged =
    cosine !== undefined && worst.relative > tolerance
      ? `${share}; the cosine is ${worst.cosine.toFixed(4)} (limit ${cosine})`
      : `${share} (limit ${tolerance})`;
  return `Verified in ONNX Runtime${on}: ${far}, ${judged}.`;
}
