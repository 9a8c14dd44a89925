// `auspex data io`: trains networks on images and keeps their output features.
import { Command } from 'commander';
import { type IoRequest, makeIoData } from '../app/data/io/make.js';
import { positive, print, wholeNumber, withForce } from './command.js';
import { progressLine } from './progress.js';
import { untilStopped } from './signals.js';
import { ioText } from './text/io.js';

type IoFlags = IoRequest & { readonly json?: true };

export function ioCommand(): Command {
  return withForce(new Command('io'))
    .summary('train networks on images and keep their output features')
    .description(
      'Trains small versions of networks on images, and writes what their last layers\nsee of other images: features for each network and image, as IO models learn\nthem (Kadlecová et al. 2023). Every network is logged when it is done.',
    )
    .requiredOption('--space <name>', 'search space of the networks; one with cells')
    .requiredOption('--networks <file>', 'a table, or a .txt file with one architecture a line')
    .requiredOption(
      '--images <folder>',
      'CIFAR .bin files; folders train and test with\nfolders of classes; or one folder of classes',
    )
    .requiredOption('-o, --output <file>', '.npz file to write')
    .option('--train <n>', 'number of training networks (default: all others)', wholeNumber)
    .option('--validation <n>', 'number of validation networks (default: 10%)', wholeNumber)
    .option('--training-images <n>', 'images that networks are trained on', wholeNumber, 5120)
    .option('--seen-images <n>', 'held-out images whose features are kept', wholeNumber, 1000)
    .option('--unseen-images <n>', 'test images whose features are kept', wholeNumber, 2000)
    .option('--accuracy-images <n>', 'more test images that accuracy is measured on', wholeNumber, 0)
    .option('--resolution <n>', 'images are shrunk to this side', wholeNumber, 16)
    .option('--width <factor>', "widths of layers, as a part of the paper's", positive, 0.125)
    .option('--cells <n>', "cells of a stage (default: the paper's)", wholeNumber)
    .option('--epochs <n>', 'passes over the training images', wholeNumber, 6)
    .option('--batch <n>', 'images of a training step', wholeNumber, 128)
    .option('--rate <x>', 'first learning rate; it falls to 0', positive, 0.025)
    .option('--kept <n>', 'features to keep of an image', wholeNumber, 10)
    .option('--seed <n>', 'random seed', wholeNumber, 0)
    .option('--limit <n>', 'train at most so many networks now, and write those that are done', wholeNumber)
    .option('--resume', 'continue an interrupted run, or the networks of the output file')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Example:
  auspex data io --space nasbench101 --networks nasbench101.csv.gz \\
    --images cifar10 --train 608 --validation 77 --cells 1 -o io.npz

The log is OUTPUT.log. --resume continues it, even after kill -9, and the file
has the same bytes as that of an uninterrupted run.
See docs/json/data.md (JSON) and docs/guides/embeddings.md (arrays of the file).`,
    )
    .action(async ({ json, ...request }: IoFlags) => {
      const progress = progressLine('training networks');
      const document = await untilStopped((signal) =>
        makeIoData(request, {
          signal,
          onNetwork: (done, all, accuracy) =>
            progress.report(
              done / Math.max(1, all),
              `${done} of ${all} networks${accuracy === undefined ? '' : `, accuracy ${accuracy.toFixed(3)}`}`,
            ),
        }),
      ).finally(() => progress.end());
      print(json ? JSON.stringify(document, null, 2) : ioText(document));
    });
}
