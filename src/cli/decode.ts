// `auspex decode`: networks from latents.
import { Command } from 'commander';
import { type DecodeRequest, decodeNetworks } from '../app/embed/decode.js';
import { positive, print, threadCount, wholeNumber } from './command.js';
import { untilStopped } from './signals.js';
import { decodeText } from './text/decode.js';

interface DecodeFlags extends Omit<DecodeRequest, 'refs' | 'table' | 'decoding'> {
  readonly data?: string;
  readonly plain?: true;
  readonly json?: true;
}

export function decodeCommand(): Command {
  return new Command('decode')
    .description(
      'Decodes networks from latents: networks near one, between two, or drawn at random.\nPredictors of the kinds arch2vec, accuracy-model and io-model decode.',
    )
    .argument('[networks...]', 'architectures of a space')
    .option('--near <n>', 'n networks near each one', wholeNumber)
    .option('--between <n>', 'n networks between two', wholeNumber)
    .option('--sample <n>', 'n networks of random latents', wholeNumber)
    .option('--latents <file>', 'networks of a .npy file of latents')
    .option('--quality', 'how well networks are decoded')
    .option('--predictor <file>', 'the predictor, or bundled:NAME (default: a bundled one)')
    .option('--plain', 'take the likeliest operations and edges, whether or not they are an architecture')
    .option('--radius <x>', 'with --near: greatest step, in standard deviations (1)', positive)
    .option('--draws <n>', 'with --quality: random latents (10000)', wholeNumber)
    .option('--input <file>', 'networks, one per line; - for standard input')
    .option('--data <file>', 'the networks of a table')
    .option('--space <name>', 'search space, where it cannot be told from networks')
    .option('--seed <n>', 'random seed (0)', wholeNumber)
    .option('--threads <n>', 'number of threads (default: all)', threadCount)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  auspex decode nasbench101:4:100111:conv3x3-bn-relu,conv1x1-bn-relu \\
    --near 5
  auspex decode A B --between 6
  auspex decode --space nasbench101 --sample 10 --seed 1
  auspex embed A B --nodes -o z.npy
  auspex decode --latents z.npy --space nasbench101
  auspex decode --quality --predictor cells.onnx --data test.csv.gz

By default the likeliest cell that is an architecture of the space is taken.
See docs/json/decode.md (JSON) and docs/guides/embeddings.md.`,
    )
    .action(async (refs: string[], { json, data, plain, ...flags }: DecodeFlags) => {
      const document = await untilStopped((signal) =>
        decodeNetworks({ ...flags, refs, table: data, decoding: plain ? 'plain' : 'valid' }, signal),
      );
      print(json ? JSON.stringify(document, null, 2) : decodeText(document));
      if (document.decoded.some(({ error }) => error !== undefined)) process.exitCode = 2;
    });
}
