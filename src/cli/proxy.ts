// `auspex proxy`: zero-cost scores of networks, ONNX files or architectures of a space.

import { Command } from 'commander';
import { linesOf } from '../app/lines.js';
import { COMBINATIONS, type Explanation, explainSubject, PROXIES } from '../proxies/index.js';
import { spaceNamed } from '../spaces/index.js';
import { checkOutputs } from '../store/outputs.js';
import { AuspexError } from '../util/errors.js';
import { names } from './data-options.js';
import { wrap } from './format.js';
import { correlateCommand } from './proxy-correlate.js';
import {
  columnsNamed,
  logOutput,
  OUTLETS,
  type Outlets,
  planOf,
  type ScoringFlags,
  type ScoringPlan,
  sampleFiles,
  withScoring,
} from './proxy-plan.js';
import type { NetworkRecord } from './proxy-pool.js';
import { scoredNetworks } from './proxy-run.js';
import { NetworkScorer } from './proxy-scoring.js';
import { exitCodeOf, isScored, poolJson, poolText } from './proxy-text.js';

interface ProxyFlags extends ScoringFlags {
  space?: string;
  input?: string;
  explain?: true;
}

export function proxyCommand(outlets: Outlets = OUTLETS): Command {
  const command = new Command('proxy')
    .summary('zero-cost scores: how good networks promise to be, untrained')
    .description(
      `Scores networks by what they are before training: counts, gradients at one
batch, activations, the terms of ETAS. Networks are ONNX files, or
architectures of a space. One that cannot be scored does not stop the others.`,
    )
    .argument('[networks...]', 'ONNX files; with --space architectures')
    .option('--space <name>', 'networks are architectures of this space')
    .option('--input <file>', 'networks from a file, one a line; - is standard input')
    .option('--proxies <names>', 'which: names, a+b for mean ranks, or all', names)
    .option('--explain', 'show what was found in networks: which weights count, blocks');
  return withScoring(command)
    .enablePositionalOptions()
    .addCommand(correlateCommand(outlets))
    .addHelpText(
      'after',
      `
Examples:
  auspex proxy net.onnx --proxies snip,synflow --seed 0
  auspex proxy a.onnx b.onnx --proxies all --init seeded --json
  auspex space sample nasbench201 -n 1000 > archs.txt
  auspex proxy --space nasbench201 --input archs.txt --proxies ntsr,snip \\
    --workers 2 -o scores.jsonl
  auspex proxy vit.onnx --explain

Proxies:
${wrap(PROXIES.map(({ name }) => name).join(', '), 2).join('\n')}
${Object.entries(COMBINATIONS)
  .map(([name, members]) => `  ${name} (${members}, by rank within the pool)`)
  .join('\n')}
What each is: docs/proxies.md; the JSON and the log: docs/proxy-json.md.
A run that was ended in any way goes on with --resume. If no network could
be scored the exit code is 2 where all of them are at fault, else 1.`,
    )
    .action((networks: string[], flags: ProxyFlags) => run(networks, flags, outlets));
}

async function run(given: string[], flags: ProxyFlags, outlets: Outlets): Promise<void> {
  if (flags.space !== undefined) spaceNamed(flags.space);
  const columns = columnsNamed(flags.proxies ?? (flags.explain ? [] : ['all']));
  const plan = planOf(flags, flags.space ?? null, columns);
  const networks = await networksOf(given, flags);
  checkOutputs({
    outputs: logOutput(flags),
    inputs: [flags.input, ...sampleFiles(flags), ...(flags.space === undefined ? networks : [])],
    force: flags.force,
  });
  const title = columns.map(({ name }) => name).join(', ');
  const records = await scoredNetworks(networks, plan, flags, outlets, `proxy ${title}`);
  const explanations = flags.explain ? explained(records, plan, outlets) : undefined;
  const found = {
    plan,
    columns,
    networks: networks.length,
    records,
    ...(explanations ? { explanations } : {}),
    ...(flags.output === undefined ? {} : { output: flags.output }),
  };
  const text = flags.json ? poolJson(found) : poolText(found);
  if (text !== '') outlets.write(text);
  const isDone = columns.length === 0 ? explanations!.size > 0 : records.some(isScored);
  if (!isDone) outlets.exit(exitCodeOf(records));
}

/** What was found in every network that can be had. */
function explained(
  records: readonly NetworkRecord[],
  plan: ScoringPlan,
  { note }: Outlets,
): ReadonlyMap<number, Explanation> {
  const scorer = new NetworkScorer(plan);
  const found = new Map<number, Explanation>();
  records.forEach(({ network }, i) => {
    try {
      found.set(i, explainSubject(scorer.subject(network)));
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      note(error.within({ file: network }).describe());
    }
  });
  return found;
}

async function networksOf(given: readonly string[], { input, space }: ProxyFlags): Promise<string[]> {
  if (given.length > 0 === (input !== undefined)) {
    throw new AuspexError('BAD_OPTION', 'give networks, or a file of them with --input', {
      hint: space === undefined ? 'auspex proxy net.onnx' : `auspex proxy --space ${space} '<arch>'`,
    });
  }
  if (input === undefined) return [...given];
  const lines: string[] = [];
  for await (const line of linesOf(input)) if (line.trim() !== '') lines.push(line.trim());
  if (lines.length > 0) return lines;
  throw new AuspexError('BAD_OPTION', 'the file names no networks', { where: { file: input } });
}
