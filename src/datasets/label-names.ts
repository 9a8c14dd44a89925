// What a label's name says of it: `lat_ms` are milliseconds, of which fewer are better, best learned as logarithms.
// What cannot be read from the name is a guess, and is called so.
import type { Label, LabelTransform } from './table.js';

/** What the name of a label says. */
export interface NamedMeaning {
  readonly unit: string;
  readonly better: Label['better'];
  readonly transform: LabelTransform;
  /** The words of the name that said so; none for a guess. */
  readonly from: readonly string[];
}

type Meaning = Pick<NamedMeaning, 'better' | 'transform'>;

const COST: Meaning = { better: 'lower', transform: 'log' };
const LOSS: Meaning = { better: 'lower', transform: 'linear' };
const SCORE: Meaning = { better: 'higher', transform: 'linear' };
const RATE: Meaning = { better: 'higher', transform: 'log' };

/** Quantities by the words for them. Earlier rows win: `top1_error` is an error, `time_to_accuracy` a time. */
const QUANTITIES: readonly (readonly [meaning: Meaning, words: string])[] = [
  [RATE, 'throughput fps qps ips'],
  [COST, 'latency lat time duration elapsed runtime seconds milliseconds energy power'],
  [LOSS, 'loss error err mse rmse mae mape nll bpc bpb wer cer fid regret drop'],
  [COST, 'perplexity ppl params parameters flops macs mac madds maccs macc memory mem ram size cost'],
  [SCORE, 'accuracy acc top1 top5 map miou iou f1 bleu rouge auc auroc score precision recall psnr ssim'],
];

/** Units by how names spell them, and what they alone say. */
const UNITS: ReadonlyMap<string, readonly [unit: string, meaning: Meaning]> = new Map([
  ...spelled('ns', COST, 'ns nanoseconds'),
  ...spelled('µs', COST, 'us µs μs microseconds usec'),
  ...spelled('ms', COST, 'ms msec millis milliseconds'),
  ...spelled('s', COST, 's sec secs seconds'),
  ...spelled('J', COST, 'j joule joules'),
  ...spelled('mJ', COST, 'mj millijoules'),
  ...spelled('µJ', COST, 'uj µj μj'),
  ...spelled('W', COST, 'w watt watts'),
  ...spelled('mW', COST, 'mw milliwatts'),
  ...spelled('kB', COST, 'kb'),
  ...spelled('MB', COST, 'mb'),
  ...spelled('GB', COST, 'gb'),
  ...spelled('MiB', COST, 'mib'),
  ...spelled('GiB', COST, 'gib'),
  ...spelled('%', SCORE, '% pct percent percentage'),
  ...spelled('fps', RATE, 'fps'),
]);

/** Units of one letter are so only at the end of a name: `time_s`, not `s_curve`. */
const ONLY_LAST = /^[a-z]$/;

/** Words that also end longer ones: `testacc`, `trainloss`. */
const ENDINGS = ['accuracy', 'latency', 'perplexity', 'energy', 'loss', 'error', 'acc'];

/**
 * What the name of a label says.
 *
 * @example
 * meaningOf('pixel2_lat_ms'); // { unit: 'ms', better: 'lower', transform: 'log', from: ['lat', 'ms'] }
 * meaningOf('quality');       // { unit: '', better: 'higher', transform: 'linear', from: [] }
 */
export function meaningOf(name: string): NamedMeaning {
  const words = wordsOf(name);
  const unitAt = words.findLastIndex(
    (word, i) => UNITS.has(word) && (!ONLY_LAST.test(word) || (i > 0 && i === words.length - 1)),
  );
  const unitWord = words[unitAt];
  const [unit, byUnit] = UNITS.get(unitWord ?? '') ?? ['', undefined];
  const quantity = quantityIn(words);
  const meaning = quantity?.meaning ?? byUnit ?? SCORE;
  const from = [quantity?.word, unitWord].filter((word) => word !== undefined);
  return { unit, ...meaning, from: [...new Set(from)] };
}

function quantityIn(words: readonly string[]): { meaning: Meaning; word: string } | undefined {
  for (const [meaning, listed] of QUANTITIES) {
    const known = listed.split(' ');
    const word = words.find((each) => known.includes(each) || known.includes(endingOf(each) ?? ''));
    if (word !== undefined) return { meaning, word };
  }
  return undefined;
}

function endingOf(word: string): string | undefined {
  return ENDINGS.find((ending) => word.endsWith(ending));
}

/** `valTop-1_Acc(%)` is `val top1 acc %`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/mAP/g, '_map')
    .replace(/mI[oO]U/g, '_miou')
    .replace(
      /([muµμ])([JW])(?![a-z])/g,
      (_, prefix: string, unit: string) => `_${prefix}${unit.toLowerCase()}`,
    )
    .replace(/([a-z\d])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .replace(/top[-_ @]?(?=[15](?!\d))/g, 'top')
    .split(/[^\p{L}\p{N}%]+|(?=%)/u)
    .filter((word) => word !== '');
}

function spelled(unit: string, meaning: Meaning, words: string): [string, [string, Meaning]][] {
  return words.split(' ').map((word) => [word, [unit, meaning]]);
}
