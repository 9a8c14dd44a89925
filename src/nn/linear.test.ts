import { it } from 'vitest';
import { expectGolden } from './golden.testing.js';
import { embedding, linear } from './linear.js';

it('multiplies and adds as PyTorch does', () =>
  expectGolden('linear/biased', (s, { x }) => linear(s, x!, 5)));

it('looks rows up as PyTorch does', () =>
  expectGolden('linear/embedding', (s, { indices }) => embedding(s, indices!, 5, 3)));
