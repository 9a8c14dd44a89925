// All rules, in the order in which their options are listed. A new rule is one file and a line here.
import { activation } from './activation.js';
import { groups, kernel } from './convolution.js';
import { imageLayers, insertion } from './image-layers.js';
import type { Rule } from './rule.js';
import { skip } from './skip.js';
import { tokenLayers } from './token-layers.js';
import { twice } from './twice.js';
import { width } from './width.js';

export const RULES: readonly Rule[] = [
  activation,
  skip,
  twice,
  kernel,
  groups,
  width,
  imageLayers,
  insertion,
  tokenLayers,
];
