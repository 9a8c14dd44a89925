// Losses of embeddings while they are trained (Figures 10 and 11 of Kadlecová et al. 2023), from what `auspex train --curves`
// wrote: means over equal parts of each training, against epochs.
//
//   node build/verify/tables/embedding-losses.js PICTURE.svg NAME=CURVES.json:STEPS[@FIRST]…
//
// STEPS are those of an epoch; FIRST is the step that the curves begin with (0).
import { readFileSync, writeFileSync } from 'node:fs';
import { linePlot } from '../../src/report/index.js';

/** Points of a curve. */
const POINTS = 60;

const [picture, ...files] = process.argv.slice(2);
if (!picture || files.length === 0) throw new Error('usage: embedding-losses.js PICTURE NAME=CURVES:STEPS…');

const series = files.map((given) => {
  const [, name, path, steps, first = '0'] = /^(.+)=(.+):(\d+)(?:@(\d+))?$/.exec(given) ?? [];
  if (!name || !path) throw new Error(`'${given}' is not NAME=CURVES:STEPS`);
  const { members } = JSON.parse(readFileSync(path, 'utf8')) as { members: { loss: number[] }[] };
  const { loss } = members[0]!;
  const size = Math.max(1, Math.floor(loss.length / POINTS));
  const means = Array.from({ length: Math.floor(loss.length / size) }, (_, i) => {
    const part = loss.slice(i * size, (i + 1) * size);
    return part.reduce((sum, x) => sum + x, 0) / part.length;
  });
  return { name, x: means.map((_, i) => (Number(first) + (i + 0.5) * size) / Number(steps)), y: means };
});
writeFileSync(
  picture,
  linePlot({
    title: 'Losses of embeddings of NAS-Bench-101',
    x: { label: 'epochs' },
    y: { label: 'loss', kind: 'log' },
    series,
  }),
);
