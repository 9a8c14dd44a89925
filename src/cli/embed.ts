// `auspex embed`: embeddings of networks, their nearest known networks, and a map.
import { Command, Option } from 'commander';
import { type EmbedRequest, embedNetworks } from '../app/embed/embed.js';
import { positive, print, threadCount, wholeNumber, withForce } from './command.js';
import { untilStopped } from './signals.js';
import { embedText } from './text/embed.js';

interface EmbedFlags extends Omit<EmbedRequest, 'refs' | 'table'> {
  readonly data?: string;
  readonly json?: true;
}

export function embedCommand(): Command {
  return withForce(new Command('embed'))
    .description(
      'Embeds networks: rows of numbers that are near each other for similar networks.\nAny predictor that embeds can be used (arch2vec, accuracy-model, io-model,\ncontrastive, gennape), and the last hidden layer of neural predictors.',
    )
    .argument('[networks...]', 'architectures, ONNX files, or folders of ONNX files')
    .option('--predictor <file>', 'the predictor, bundled:NAME, or the kind of a bundled one')
    .option('--nodes', 'latents of all nodes, as `auspex decode --latents` takes them')
    .option('-o, --output <file>', '.npy file for the numbers, or .npz with the networks')
    .option('--nearest <n>', 'list the n nearest known networks of each', wholeNumber)
    .option('--among <table>', 'known networks (default: those given)')
    .option('--label <name>', 'a label of the known networks, to list and to colour')
    .option('--map <file>', 'write a map as one HTML file')
    .addOption(new Option('--projection <name>', 'how the map is made').choices(['pca', 'tsne']))
    .option('--clusters <distance>', 'put networks into clusters no wider than this', positive)
    .option('--input <file>', 'networks, one per line; - for standard input')
    .option('--data <file>', 'embed the networks of a table')
    .option('--space <name>', 'search space, where the architecture fits several')
    .option('--threads <n>', 'number of threads (default: all)', threadCount)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  auspex train arch2vec --data nasbench101.csv.gz -o cells.onnx
  auspex embed --predictor cells.onnx --data nasbench101.csv.gz -o cells.npz
  auspex embed net1.onnx net2.onnx --predictor encoder.onnx --nearest 5
  auspex space sample nasbench201 -n 500 | auspex embed --input - \\
    --among nasbench201.csv.gz --label cifar10_test --map map.html

A network that cannot be embedded is reported, its row is NaN, the others are
embedded, and the exit code is 2.
See docs/json/embed.md (JSON) and docs/guides/embeddings.md.`,
    )
    .action(async (refs: string[], { json, data, ...flags }: EmbedFlags) => {
      const document = await untilStopped((signal) => embedNetworks({ ...flags, refs, table: data }, signal));
      print(json ? JSON.stringify(document, null, 2) : embedText(document));
      if (document.networks.some(({ error }) => error !== undefined)) process.exitCode = 2;
    });
}
