// The same network in the forms in which files are published: verify/golden/forms.py. Tolerances are those of
// docs/reference/proxies.md.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeModel } from '../onnx/read.js';
import { requestNamed } from './index.js';
import { scoreNetwork } from './proxy.js';
import { Subject, type SubjectOptions } from './subject/subject.js';

const modelOfForm = (form: string) =>
  decodeModel(new Uint8Array(readFileSync(new URL(`fixtures/forms/${form}.onnx`, import.meta.url))));

const NINE = 'params flops snip grad_norm zico synflow naswot jacov ntkt'.split(' ');

async function scoresOf(form: string, names: readonly string[], options: SubjectOptions = {}) {
  const outcomes = await scoreNetwork(modelOfForm(form), names.map(requestNamed), () => ({
    session: { threads: 1 },
    ...options,
  }));
  return outcomes.map((outcome) => ('score' in outcome ? outcome.score.value : outcome.error.code));
}

/** What is further from the plain form than a part of it. */
async function different(
  form: string,
  tolerance: number,
  names: readonly string[],
  options?: SubjectOptions,
) {
  const [found, plain] = [await scoresOf(form, names, options), await scoresOf('plain', names, options)];
  return names.flatMap((name, i) => {
    const [a, b] = [found[i], plain[i]];
    const isClose =
      typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= tolerance * Math.abs(b) + 1e-9;
    return isClose ? [] : [`${name}: ${a}, not ${b}`];
  });
}

describe('the same network', () => {
  it('has all nine scores', async () => {
    expect(await scoresOf('plain', NINE)).toEqual(NINE.map(() => expect.any(Number)));
  });

  it('scores the same in opset 9 as in 17', async () => {
    expect(await different('old', 1e-4, NINE)).toEqual([]);
  });

  it('scores the same where the file is for one sample', async () => {
    expect(await different('single', 1e-4, NINE)).toEqual([]);
  });

  it('scores the same where a converter wrapped its Softmax and left nodes that do nothing', async () => {
    const counted = new Set(['flops']);
    expect(
      await different(
        'wrapped',
        1e-3,
        NINE.filter((name) => !counted.has(name)),
      ),
    ).toEqual([]);
  });

  it('scores nearly the same dequantised', async () => {
    // ZiCo is a sum of quotients that rounding moves most; counts are those of the file.
    const names = ['snip', 'grad_norm', 'synflow', 'naswot', 'jacov', 'ntkt'];
    expect(await different('qdq', 0.05, names)).toEqual([]);
  });

  it('scores the same with its normalisation folded, by what does not depend on the scale of weights', async () => {
    // With w' = w·γ/σ, w'·∂L/∂w' = w·∂L/∂w.
    expect(await different('folded', 1e-3, ['snip', 'plain', 'jacov'], { statistics: 'frozen' })).toEqual([]);
  });

  it('says what was done to it', () => {
    const changesOf = (form: string) =>
      Subject.of(modelOfForm(form)).changes.map(({ transform }) => transform);
    expect(changesOf('old')).toContain('opset');
    expect(changesOf('single')).toContain('batch');
    expect(changesOf('qdq')).toContain('float');
  });
});
