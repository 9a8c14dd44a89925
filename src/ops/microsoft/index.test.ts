import { describe, expect, it } from 'vitest';
import { allOperators } from '../index.js';
import { SCHEMAS } from '../schemas.generated.js';
import { microsoftFamilies } from './index.js';

/** Containers for what other libraries compiled: nothing in a file tells what they do. */
const OPAQUE = ['EPContext', 'Snpe'];

describe('the domain com.microsoft', () => {
  it('has a definition for every operator of ONNX Runtime', () => {
    const names = Object.keys(SCHEMAS).filter((key) => key.startsWith('com.microsoft::'));
    const missing = names
      .map((key) => key.replace('com.microsoft::', ''))
      .filter((name) => !allOperators().has(`com.microsoft.${name}`));
    expect(missing).toEqual(OPAQUE);
  });

  it('defines no operator that does not exist', () => {
    const names = microsoftFamilies.flatMap((family) => Object.keys(family));
    const invented = names
      .filter((name) => /^com\.microsoft\.\w+$/.test(name))
      .filter((name) => !(name.replace('com.microsoft.', 'com.microsoft::') in SCHEMAS));
    // It lives in ai.onnx; some tools write it with ONNX Runtime's own domain.
    expect(invented).toEqual(['com.microsoft.SimplifiedLayerNormalization']);
  });
});
