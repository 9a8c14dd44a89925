// `--label NAME[:part…]`.
import { describe, expect, it } from 'vitest';
import { labelText, parseLabel, parseLabels, resolveLabel } from './label-options.js';

describe('a label as an option', () => {
  it.each([
    ['acc', { name: 'acc' }],
    ['acc:%', { name: 'acc', unit: '%' }],
    ['acc:%:higher', { name: 'acc', unit: '%', better: 'higher' }],
    ['acc::higher', { name: 'acc', unit: '', better: 'higher' }],
    // A direction, never the unit "lower".
    ['lat:lower', { name: 'lat', better: 'lower' }],
    ['lat:LOWER:ms', { name: 'lat', better: 'lower', unit: 'ms' }],
    ['lat:log:lower:ms', { name: 'lat', transform: 'log', better: 'lower', unit: 'ms' }],
    ['x:images/s:linear', { name: 'x', unit: 'images/s', transform: 'linear' }],
  ])('%s', (text, request) => {
    expect(parseLabel(text)).toEqual(request);
  });

  it.each([
    ['', /no name/],
    [':ms', /no name/],
    ['lat:lower:higher', /two directions/],
    ['lat:lower:lower', /two directions/],
    ['lat:log:linear', /two transforms/],
    ['lat:ms:s', /two units, 'ms' and 's'/],
    ['lat:min', /'min', which is not a unit/],
    ['lat:logarithmic', /not a unit/],
  ])('%j is refused', (text, message) => {
    expect(() => parseLabel(text)).toThrow(expect.objectContaining({ code: 'BAD_LABEL' }));
    expect(() => parseLabel(text)).toThrow(message);
  });

  it('may be several', () => {
    expect(parseLabels('acc, lat:ms')).toEqual([{ name: 'acc' }, { name: 'lat', unit: 'ms' }]);
  });
});

describe('the meaning of a label', () => {
  const resolved = (text: string) => resolveLabel(parseLabel(text), 'made up');

  it('is what was given, and otherwise what the name says', () => {
    expect(resolved('lat_ms')).toEqual({
      label: { name: 'lat_ms', unit: 'ms', better: 'lower', transform: 'log', provenance: 'made up' },
      inferred: ['unit', 'better', 'transform'],
      from: ['lat', 'ms'],
    });
    expect(resolved('lat:lower').label).toMatchObject({ unit: '', better: 'lower', transform: 'log' });
    expect(resolved('lat_ms:higher:linear:s').label).toMatchObject({
      unit: 's',
      better: 'higher',
      transform: 'linear',
    });
  });

  it('follows a unit where the name says nothing', () => {
    expect(resolved('board:ms').label).toMatchObject({ unit: 'ms', better: 'lower', transform: 'log' });
    expect(resolved('board:%').label).toMatchObject({ unit: '%', better: 'higher', transform: 'linear' });
  });

  it('takes a cost by its direction', () => {
    expect(resolved('y:lower').label).toMatchObject({ better: 'lower', transform: 'log' });
    expect(resolved('lat_ms:higher').label).toMatchObject({ better: 'higher', transform: 'linear' });
  });

  it.each([
    [
      'lat_ms',
      'lat_ms: ms, lower is better, logarithmic (from its name; change with --label lat_ms:higher:linear)',
    ],
    ['y', 'y: higher is better, linear (a guess; change with --label y:lower:log)'],
    ['y:lower', 'y: lower is better, logarithmic (transform guessed; change with --label y:lower:linear)'],
    [
      'acc:%:linear',
      'acc: %, higher is better, linear (direction from its name; change with --label acc:lower)',
    ],
    ['acc:%:higher:linear', 'acc: %, higher is better, linear'],
  ])('%s is told as %s', (text, told) => {
    expect(labelText(resolved(text))).toBe(told);
  });
});
