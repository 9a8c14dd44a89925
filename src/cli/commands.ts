// The commands, in the order of the help. Each is loaded when it is asked for: a command does not wait for what others need,
// and the help of all needs none.
import { Command } from 'commander';

interface Listed {
  readonly summary: string;
  load(): Promise<Command>;
}

const COMMANDS: Readonly<Record<string, Listed>> = {
  inspect: {
    summary: 'count parameters, MACs, FLOPs and memory of networks',
    load: async () => (await import('./inspect.js')).inspectCommand(),
  },
  convert: {
    summary: 'convert opset, batch, sizes or types, or simplify, and verify the result',
    load: async () => (await import('./convert.js')).convertCommand(),
  },
  compare: {
    summary: 'what differs between two networks: nodes, cost, weights, outputs',
    load: async () => (await import('./compare.js')).compareCommand(),
  },
  measure: {
    summary: 'measure latency and memory of networks, and profile them',
    load: async () => (await import('./measure.js')).measureCommand(),
  },
  device: {
    summary: 'list, show, compare and calibrate devices',
    load: async () => (await import('./device.js')).deviceCommand(),
  },
  db: {
    summary: 'show, export and merge databases of measurements',
    load: async () => (await import('./db.js')).dbCommand(),
  },
  space: {
    summary: 'sample, describe and export networks of search spaces',
    load: async () => (await import('./space.js')).spaceCommand(),
  },
  data: {
    summary: 'import, list, show, split and export benchmark tables',
    load: async () => (await import('./data.js')).dataCommand(),
  },
  predict: {
    summary: 'predict accuracy and latency of networks',
    load: async () => (await import('./predict.js')).predictCommand(),
  },
  embed: {
    summary: 'embed networks, find the nearest known ones, draw a map',
    load: async () => (await import('./embed.js')).embedCommand(),
  },
  decode: {
    summary: 'decode networks from the latent space of an embedding',
    load: async () => (await import('./decode.js')).decodeCommand(),
  },
  train: {
    summary: 'train a predictor on measured networks',
    load: async () => (await import('./train.js')).trainCommand(),
  },
  pretrain: {
    summary: 'pretrain a predictor on unlabelled architectures',
    load: async () => (await import('./pretrain.js')).pretrainCommand(),
  },
  proxy: {
    summary: 'score untrained networks with zero-cost proxies',
    load: async () => (await import('./proxy.js')).proxyCommand(),
  },
  search: {
    summary: 'search a space for good networks',
    load: async () => (await import('./search.js')).searchCommand(),
  },
  evaluate: {
    summary: 'evaluate a predictor on measured data',
    load: async () => (await import('./evaluate.js')).evaluateCommand(),
  },
  reproduce: {
    summary: 'run experiments from papers and compare with published numbers',
    load: async () => (await import('./reproduce.js')).reproduceCommand(),
  },
  view: {
    summary: 'open the page: graph, cost, predictions and reports in a browser',
    load: async () => (await import('./view.js')).viewCommand(),
  },
};

const VERSION: ReadonlySet<string> = new Set(['--version', '-V']);

/**
 * The command that arguments name; none for the version. For anything else, such as `--help` and names that are misspelt,
 * the names and summaries of all.
 */
export async function commandsFor([first = '', second = '']: readonly string[]): Promise<Command[]> {
  if (VERSION.has(first)) return [];
  const name = first === 'help' ? second : first;
  if (Object.hasOwn(COMMANDS, name)) return [await COMMANDS[name]!.load()];
  return Object.entries(COMMANDS).map(([listed, { summary }]) => new Command(listed).summary(summary));
}
