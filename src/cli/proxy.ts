// `auspex proxy`: zero-cost scores of networks.
import { Command } from 'commander';
import { exitCodeOf, scoreDocumentOf } from '../app/documents/score.js';
import { type OpenedReferences, openReferences } from '../app/resolve.js';
import { columnsNamed } from '../app/score/columns.js';
import { planOf } from '../app/score/plan.js';
import { scoreNetworks } from '../app/score/score.js';
import { ONNX } from '../networks/index.js';
import { COMBINATIONS, PROXIES } from '../proxies/index.js';
import { checkOutputs } from '../store/outputs.js';
import { readTableFile } from '../store/table-file.js';
import { AuspexError } from '../util/errors.js';
import { names } from './command.js';
import { correlateCommand } from './proxy-correlate.js';
import {
  logOutput,
  requestFrom,
  runOptions,
  type ScoringFlags,
  sampleFiles,
  withScoring,
} from './score-options.js';
import { noteProblems, OUTLETS, type Outlets, widthOf, withProgress } from './score-outlets.js';
import { untilStopped } from './signals.js';
import { wrap } from './text/format.js';
import { scoreText } from './text/score.js';

/** Processes begin from compiled files. */
const IS_BUILT = import.meta.url.endsWith('.js');

interface ProxyFlags extends ScoringFlags {
  space?: string;
  input?: string;
  data?: string;
  explain?: true;
}

export function proxyCommand(outlets: Outlets = OUTLETS): Command {
  const command = new Command('proxy')
    .description(
      `Scores untrained networks: counts, gradients of one batch, activations, and
the terms of ETAS. A network that cannot be scored is reported
and does not stop the others.`,
    )
    .argument('[networks...]', 'ONNX files, folders, patterns, architectures, or -')
    .option('--space <name>', 'search space of architectures given without one')
    .option('--input <file>', 'read networks from a file, one per line; - is standard input')
    .option('--data <table>', "score the architectures of a table's rows")
    .option('--proxies <names>', 'proxies by name, a+b for mean ranks, or all (all)', names)
    .option('--explain', 'show which weights, blocks and outputs were found');
  return withScoring(command)
    .enablePositionalOptions()
    .addCommand(correlateCommand(outlets))
    .addHelpText(
      'after',
      `
Examples:
  auspex proxy net.onnx --proxies snip,synflow --seed 0
  auspex proxy nets/ 'more/*.onnx' --init seeded --json
  auspex proxy 'onnx:net.onnx#base;Relu_3=Gelu' nats-size:8:8:8:8:8
  auspex space sample nasbench201 -n 1000 > archs.txt
  auspex proxy --space nasbench201 --input archs.txt --proxies ntsr,snip \\
    --workers 2 -o scores.jsonl
  auspex proxy vit.onnx --explain

Proxies:
${wrap(PROXIES.map(({ name }) => name).join(', '), 2).join('\n')}
${Object.entries(COMBINATIONS)
  .map(([name, members]) => `  ${name} (${members}, by rank within the pool)`)
  .join('\n')}
The proxies are described in docs/reference/proxies.md, the JSON and the log in
docs/json/proxy.md. --resume continues an interrupted run, even after kill -9.
If no network could be scored, the exit code is 2 if every network itself is
at fault, otherwise 1.`,
    )
    .action((networks: string[], flags: ProxyFlags) => run(networks, flags, outlets));
}

async function run(given: string[], flags: ProxyFlags, outlets: Outlets): Promise<void> {
  const columns = columnsNamed(flags.proxies ?? (flags.explain ? [] : ['all']));
  const request = requestFrom(flags);
  const { networks, space } = await networksOf(given, flags);
  const plan = planOf({ ...request, space }, columns, networks.kinds());
  checkOutputs({
    outputs: logOutput(flags),
    inputs: [flags.input, flags.data, ...sampleFiles(flags), ...(flags.output ? networks.files() : [])],
    force: flags.force,
  });
  // A process of its own is worth its start where a network may take all memory.
  const isApart = IS_BUILT && networks.kinds().hasFiles;
  const options = { plan, columns, explains: flags.explain, isApart, ...runOptions(flags) };
  const title = `proxy ${columns.map(({ name }) => name).join(', ')}`;
  const found = await withProgress(title, (progress) =>
    untilStopped((signal) => scoreNetworks(networks, { ...options, signal, progress })),
  );
  noteProblems(found, outlets);
  const text = flags.json
    ? JSON.stringify(scoreDocumentOf(found), null, 2)
    : scoreText(found, widthOf(outlets));
  if (text !== '') outlets.write(text);
  const code = exitCodeOf(found);
  if (code !== 0) outlets.exit(code);
}

/** The networks, and the space that they have in common if one was given. */
async function networksOf(
  given: readonly string[],
  { input, data, space }: ProxyFlags,
): Promise<{ networks: OpenedReferences; space: string | undefined }> {
  if ([given.length > 0, input !== undefined, data !== undefined].filter(Boolean).length !== 1) {
    const hint = space === undefined ? 'auspex proxy net.onnx' : `auspex proxy --space ${space} '<arch>'`;
    const message = 'give networks, a file of them with --input, or a table with --data';
    throw new AuspexError('BAD_OPTION', message, { hint });
  }
  const table = data === undefined ? undefined : await readTableFile(data);
  const networks = await openReferences(given, { input, space, table });
  return { networks, space: space ?? (table?.space === ONNX ? undefined : table?.space) };
}
