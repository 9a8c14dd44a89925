// `auspex/spaces`: search spaces, their choices, and the networks that they and other references name.
export * from './networks/index.js';
export * from './spaces/index.js';
export { sampleSpace } from './spaces/sample.js';
export { sizesOf } from './spaces/sizes.js';
export { Random } from './util/random.js';
