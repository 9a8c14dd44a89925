// `auspex search`: finds good networks of a space within a budget of evaluations.
import { Command, Option } from 'commander';
import type { SearchRequest } from '../app/search/request.js';
import type { ProxySource } from '../app/search/scorers.js';
import { searchNetworks } from '../app/search/search.js';
import { version } from '../app/version.js';
import { COSTS } from '../search/costs.js';
import { STRATEGIES, type StrategyOptions } from '../search/strategies/registry.js';
import { names, positive, print, wholeNumber, withForce } from './command.js';
import { progressLine } from './progress.js';
import { directions, limit, strategyOption } from './search-options.js';
import { untilStopped } from './signals.js';
import { type SizeFlags, sizesFrom, withSizes } from './size-options.js';
import { searchText } from './text/search.js';

type SearchFlags = Omit<SearchRequest, 'space' | 'sizes' | 'options'> &
  SizeFlags & { option: StrategyOptions; json?: true };

/** @param proxies others than those of auspex; @param write where lines go: both for tests. */
export function searchCommand({
  proxies,
  write = print,
}: {
  proxies?: ProxySource;
  write?: (text: string) => void;
} = {}): Command {
  const command = new Command('search')
    .description(
      `Searches a space for good networks within a budget of evaluations. Networks are
evaluated by a table, a predictor, a zero-cost proxy, or your own command, which
gets an ONNX file and prints a number.`,
    )
    .argument('<space>', 'name of a space, or onnx:FILE for variants of a file')
    .addOption(
      new Option('--strategy <name>', 'search strategy').choices([...STRATEGIES.keys()]).default('evolution'),
    )
    .option('--option <name=value>', 'strategy option: population=50 (repeatable)', strategyOption, {})
    .option('--proxy <names>', 'for etas: score that selects candidates: ntsr, snip+params')
    .option('--embedding <what>', 'for bo, reinforce: a predictor file, bundled:NAME, or a kind: arch2vec')
    .option('--proxy-batch <n>', 'batch size of proxies (16)', wholeNumber)
    .option('--evaluator <what>', 'table:FILE, predictor:FILE or proxy:NAME')
    .option('--evaluate <command>', "evaluate with a command: './train.sh {onnx}'")
    .option('--label <names>', 'objectives: accuracy,latency', names)
    .option('--better <ways>', 'direction per label (default: from the table or predictor)', directions)
    .option('--timeout <seconds>', 'time limit of the command (3600)', positive)
    .option('--retries <n>', 'times to retry a failed command (0)', wholeNumber)
    .option('--max <what=number>', 'upper limit: parameters=9e6 (repeatable)', limit)
    .option('--min <what=number>', 'lower limit (repeatable)', limit)
    .option('--budget <n>', 'number of evaluations (required, except by gennape)', wholeNumber)
    .option('--seed <n>', 'random seed', wholeNumber, 0)
    .option('--parallel <n>', 'commands or proxies to run in parallel', wholeNumber, 1)
    .option('-o, --output <folder>', 'write trials.jsonl, winner.onnx and report.html')
    .option('--report <file>', 'write the report to this file')
    .option('--resume', 'continue the search in the output folder')
    .option('--json', 'print JSON');
  return withForce(withSizes(command, 'batch size of networks (1)'))
    .addHelpText(
      'after',
      `
Examples:
  auspex search nasbench201 --evaluator table:nb201.csv.gz \\
    --label cifar10_test --budget 300
  auspex search autoformer-tiny --strategy etas --proxy ntsr --proxy-batch 2 \\
    --evaluate './train.sh {onnx}' --max parameters=9e6 --budget 33 -o run
  auspex search nasbench201 --strategy nsga2 --evaluator predictor:p.onnx \\
    --label accuracy,latency --budget 2000
  auspex search nasbench101 --strategy bo --embedding arch2vec \\
    --evaluator table:nb101.csv.gz --label val_accuracy --budget 200
  auspex search onnx:net.onnx --strategy gennape --evaluator predictor:p.onnx \\
    --max macs=2e8 -o run

--max and --min limit ${COSTS.join(', ')}, or FILE.onnx#label.
--resume continues an interrupted search, even after kill -9.
The JSON is described in docs/json/search.md.`,
    )
    .action(async (space: string, { option, json, ...flags }: SearchFlags) => {
      const progress = progressLine('search');
      const { batch: _, resolution, width, classes, dim, shape, ...request } = flags;
      const sizes = sizesFrom(flags);
      try {
        const found = await untilStopped((signal) =>
          searchNetworks(
            { ...request, space, sizes, options: option },
            {
              ...(proxies ? { proxies } : {}),
              signal,
              version: version(),
              onNote: (note) => process.stderr.write(`${note}\n`),
              progress: (done, all, best) =>
                progress.report(done / all, best ? `best ${best.value.toPrecision(5)}` : 'none yet'),
            },
          ),
        );
        progress.end();
        write(json ? JSON.stringify(found, null, 2) : searchText(found));
        if (found.end === 'stopped') {
          const kept = found.output === undefined ? '' : '; the same command with --resume continues';
          process.stderr.write(`stopped after ${found.evaluations} of ${found.budget} evaluations${kept}\n`);
        }
      } finally {
        progress.end();
      }
    });
}
