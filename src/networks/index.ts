// Networks: what they are, and how references become them.
export { ArchNetwork } from './arch-network.js';
export { OpenedModel } from './file-network.js';
export type { Architecture, CellForm, Network } from './network.js';
export { lazily, listOf, type Networks, rowsOf } from './networks.js';
export { ONNX, type Reference, type ResolveOptions, Resolver, type ResolverOptions } from './resolver.js';
export type { Sizes } from './sizes.js';
