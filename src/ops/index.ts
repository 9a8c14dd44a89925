// All operators auspex knows. A new family is one import and one line here.
import { constantOperators } from './constant.js';
import { elementwiseOperators } from './elementwise.js';
import { registerOperators } from './registry.js';

for (const family of [constantOperators, elementwiseOperators]) {
  registerOperators(family);
}

export { constantType } from './constant.js';
export { allOperators, operatorFor } from './registry.js';
