// Networks as NAR-Former V2 is given them, for `EncodedNetworks`: 152 numbers of every operator, 40 of the whole.
import { type Encoding, knownWaves, waves } from '../views/nnlqp/encodings.js';
import { CODES, MAX_ATTRIBUTES } from '../views/nnlqp/operators.js';

/** Numbers that a number becomes. */
const WAVES = 10;
const SIZES = 4;
const GIGA = 1e9;
/** The code of Transpose, whose attribute is a list of eight numbers. */
const TRANSPOSE = 10;

/**
 * 32 for the operator, 8 attributes and 4 sizes of 10 numbers each, all of them as they are (see `waves`). Attributes that
 * an operator does not have are zeros; sizes that a value does not have are the waves of 0. Of the whole network
 * [batch, FLOPs/10⁹, parameters/10⁹, memory access/10⁹], 10 numbers each.
 *
 * @param variant how the numbers of a permutation lie. `meant`: one after another, as other attributes do. `released`:
 * by frequency, the sines of all eight, then their cosines.
 */
export function narFormerV2Encoding(variant: 'meant' | 'released' = 'meant'): Encoding {
  return {
    nodeWidth: CODES + (MAX_ATTRIBUTES + SIZES) * WAVES,
    staticWidth: 4 * WAVES,
    writeNode(into, at, { code, attributes, shape }) {
      const isByFrequency = variant === 'released' && code === TRANSPOSE;
      attributes.forEach((value, i) => {
        knownWaves(value, WAVES).forEach((wave, k) => {
          into[at + (isByFrequency ? k * MAX_ATTRIBUTES + i : i * WAVES + k)] = wave;
        });
      });
      const sizes = at + MAX_ATTRIBUTES * WAVES;
      shape.forEach((value, i) => void into.set(knownWaves(value, WAVES), sizes + i * WAVES));
    },
    writeStatic(into, at, { batch, nnlqpFlops, parameters, memoryAccess }) {
      const numbers = [batch, nnlqpFlops / GIGA, parameters / GIGA, memoryAccess / GIGA];
      numbers.forEach((value, i) => void into.set(waves(value, WAVES), at + i * WAVES));
    },
  };
}
