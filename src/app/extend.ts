// What extensions use: everything that can be registered from outside the package. A plugin is a module whose default
// export is a function of this; `auspex … --plugin ./mine.js` loads it before the command runs.

import { symbol } from '../graph/dim.js';
import { linear } from '../nn/index.js';
import { registerOperators } from '../ops/registry.js';
import { registerKind } from '../predictors/kind.js';
import { featureKind } from '../predictors/kinds/feature-kind.js';
import { graphKind } from '../predictors/kinds/graph-kind.js';
import { registerTransform } from '../predictors/labels.js';
import { registerView } from '../predictors/views/view.js';
import { registerProxy } from '../proxies/index.js';
import { defineProxy } from '../proxies/proxy.js';
import { registerStrategy } from '../search/strategies/registry.js';
import { registerSpace } from '../spaces/index.js';
import { AuspexError } from '../util/errors.js';
import { type CommandExtension, registerCommand } from './commands.js';

/**
 * What a plugin is given. These are the functions of the running command: a plugin must use them, not import its own copy
 * of auspex.
 */
export const extend = {
  registerOperators,
  registerSpace,
  registerView,
  registerKind,
  registerTransform,
  registerProxy,
  registerStrategy,
  registerCommand,
  /** Makes a kind from a model of graphs. */
  graphKind,
  /** Makes a kind from a model of rows of numbers. */
  featureKind,
  defineProxy,
  /** A size that may be any, by its name: the inputs of a view begin with `symbol('batch')`. */
  symbol,
  /** A layer for models of kinds; the others are in `auspex/nn`. */
  linear,
  AuspexError,
};

export type Extend = typeof extend;

/**
 * @example
 * export default ({ registerProxy, defineProxy }) => {
 *   registerProxy(defineProxy({ name: 'nodes', … }));
 * };
 */
export type Plugin = (extend: Extend) => void | Promise<void>;

export type { Operator } from '../ops/operator.js';
export type { OperatorTable } from '../ops/registry.js';
export type { PredictorKind } from '../predictors/kind.js';
export type { View } from '../predictors/views/view.js';
export type { ProxyDefinition } from '../proxies/proxy.js';
export type { StrategyEntry } from '../search/strategies/registry.js';
export type { Choice, Space } from '../spaces/space.js';
export type { CommandExtension };
export {
  AuspexError,
  defineProxy,
  featureKind,
  graphKind,
  registerCommand,
  registerKind,
  registerOperators,
  registerProxy,
  registerSpace,
  registerStrategy,
  registerTransform,
  registerView,
};
