// What a search is asked for, checked at the door: every option with its range.
import * as z from 'zod';
import type { Sizes } from '../../networks/index.js';
import { AuspexError } from '../../util/errors.js';
import { thousands } from '../../util/thousands.js';

/** A whole number in a range, which messages name. */
function whole(from: number, to: number) {
  const range = `a whole number from ${thousands(from)} to ${thousands(to)}`;
  return z.number(range).int(range).min(from, range).max(to, range);
}

const limit = z.object({
  /** A cost, or a label of a predictor: `parameters`, `p.onnx#latency`. */
  what: z.string(),
  value: z.number(),
});
export type Limit = z.infer<typeof limit>;

const searchRequest = z.object({
  /** A space's name, or `onnx:FILE` for the neighbourhood of a file. */
  space: z.string(),
  sizes: z.custom<Sizes>().default({}),
  strategy: z.string().default('evolution'),
  /** Of the strategy. */
  options: z.record(z.string(), z.union([z.number(), z.string()])).default({}),
  /** Scores that choose candidates: `ntsr`, `snip+params`, `p.onnx#accuracy`. */
  proxy: z.string().optional(),
  /** Samples in a batch of proxies. */
  proxyBatch: whole(1, 65_536).optional(),
  /** Of a strategy in latent space: a predictor's file, `bundled:NAME`, or a kind such as `arch2vec`. */
  embedding: z.string().optional(),
  /** `table:FILE`, `predictor:FILE` or `proxy:NAME`. */
  evaluator: z.string().optional(),
  /** A command to evaluate with. */
  evaluate: z.string().optional(),
  label: z.array(z.string()).default([]),
  better: z.array(z.enum(['higher', 'lower'])).default([]),
  /** Of a command, in seconds. */
  timeout: z.number().optional(),
  retries: whole(0, 1000).optional(),
  max: z.array(limit).default([]),
  min: z.array(limit).default([]),
  /** By default what the strategy takes, if it ends by itself. */
  budget: whole(1, 1_000_000).optional(),
  seed: whole(0, 2 ** 32 - 1).default(0),
  /** Commands, and networks that proxies score, at once. */
  parallel: whole(1, 1024).default(1),
  /** A folder. */
  output: z.string().optional(),
  report: z.string().optional(),
  resume: z.boolean().default(false),
  force: z.boolean().default(false),
});

export type SearchRequest = z.input<typeof searchRequest>;
export type CheckedRequest = z.output<typeof searchRequest>;

/**
 * The request with defaults.
 *
 * @throws AuspexError BAD_OPTION, BUDGET
 */
export function checkedRequest(request: SearchRequest): CheckedRequest {
  const { success, data, error } = searchRequest.safeParse(request);
  if (!success) {
    const [issue] = error.issues;
    const name = String(issue?.path[0]);
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const value = (request as unknown as Record<string, unknown>)[name];
    throw new AuspexError(name === 'budget' ? 'BUDGET' : 'BAD_OPTION', `${flag} cannot be ${value}`, {
      hint: `it must be ${issue?.message}`,
    });
  }
  if (data.resume && data.output === undefined) {
    throw new AuspexError('BAD_OPTION', '--resume requires -o FOLDER');
  }
  if (data.better.length > Math.max(1, data.label.length)) {
    throw new AuspexError('BAD_OPTION', '--better has more directions than --label has labels', {
      hint: 'give one direction for each label: --label acc,ms --better higher,lower',
    });
  }
  return data;
}
