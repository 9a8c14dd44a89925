// What options of `auspex search` say: `population=50`, `parameters=9e6`, `higher,lower`.
import { InvalidArgumentError } from 'commander';
import type { Limit } from '../app/search/request.js';
import type { Direction } from '../search/contract.js';
import type { StrategyOptions } from '../search/strategies/registry.js';

export function strategyOption(text: string, before: StrategyOptions): StrategyOptions {
  const [, name, value] = /^(\w+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.');
  return { ...before, [name]: Number.isNaN(Number(value)) ? value : Number(value) };
}

/** `parameters=9e6`. */
export function limit(text: string, before: readonly Limit[] = []): Limit[] {
  const [, what, number] = /^(.+)=([^=]+)$/.exec(text) ?? [];
  const value = Number(number);
  if (what !== undefined && Number.isFinite(value)) return [...before, { what, value }];
  throw new InvalidArgumentError('It must be a cost or a predicted label and a number: parameters=9e6.');
}

export function directions(text: string): Direction[] {
  return text.split(',').map((way) => {
    if (way === 'higher' || way === 'lower') return way;
    throw new InvalidArgumentError("It must be 'higher' or 'lower', one for each label.");
  });
}
