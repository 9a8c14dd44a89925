// `auspex/extend`: what extensions register.
export * from './app/extend.js';
