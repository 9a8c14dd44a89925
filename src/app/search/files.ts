// The files of a search: what it reads, with digests, and what it writes: the log, the winner, the report.
import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expectVersion } from '../../search/log.js';
import { fileDigest } from '../../store/fingerprint.js';
import { checkOutputs, type PlannedOutput } from '../../store/outputs.js';
import { TrialLog } from '../../store/trial-log.js';
import { AuspexError } from '../../util/errors.js';
import { parseEvaluator } from './evaluators.js';
import type { CheckedRequest } from './request.js';
import { fileOfScore } from './scorers.js';

/** In the folder of a search. */
export const SEARCH_FILES = { log: 'trials.jsonl', winner: 'winner.onnx', report: 'report.html' } as const;

/** Where the report goes, if there is one. */
export function reportPath({ output, report }: CheckedRequest): string | undefined {
  return report ?? (output === undefined ? undefined : join(output, SEARCH_FILES.report));
}

/** What a search reads besides the files that its request names as such. */
interface ReadFiles {
  /** Whose neighbourhood is searched. */
  readonly file: string | undefined;
  readonly embedding: string | undefined;
}

/** Refuses outputs that would destroy something, and logs of other versions, before any work. */
export function checkFiles(request: CheckedRequest, read: ReadFiles): void {
  const inputs = Object.values(inputFiles(request, read));
  checkOutputs({ outputs: outputsOf(request), inputs, force: request.force });
  const { output, resume } = request;
  if (!resume || output === undefined) return;
  const path = join(output, SEARCH_FILES.log);
  try {
    expectVersion(firstRecord(path));
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file: path }) : error;
  }
}

function outputsOf(request: CheckedRequest): PlannedOutput[] {
  const { output, resume } = request;
  const report = reportPath(request);
  const pages: PlannedOutput[] = report === undefined ? [] : [{ path: report, kind: 'html' }];
  if (output === undefined) return pages;
  return [
    { path: output, kind: 'folder' },
    { path: join(output, SEARCH_FILES.log), kind: 'log', isContinued: resume },
    { path: join(output, SEARCH_FILES.winner), kind: 'network' },
    ...pages,
  ];
}

/** The files that the search reads, by what names them. */
function inputFiles(request: CheckedRequest, { file, embedding }: ReadFiles): Record<string, string> {
  const { evaluator, proxy = '', max, min } = request;
  const judge = evaluator === undefined ? undefined : parseEvaluator(evaluator);
  const scores = [...proxy.split('+'), ...[...max, ...min].map(({ what }) => what)];
  const predictors = scores.flatMap((name) => fileOfScore(name) ?? []);
  return {
    ...(file === undefined ? {} : { 'the searched file': file }),
    ...(judge === undefined || judge.kind === 'proxy' ? {} : { '--evaluator': judge.name }),
    ...(embedding === undefined ? {} : { '--embedding': embedding }),
    ...Object.fromEntries(predictors.map((path) => [path, path])),
  };
}

/** Digests of the files that decide the result; folders are not looked into. */
export async function inputDigests(
  request: CheckedRequest,
  read: ReadFiles,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, path] of Object.entries(inputFiles(request, read))) {
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) found[name] = await fileDigest(path);
  }
  return found;
}

/** The log in the folder of a search, which is made if it is not there. */
export function openLog({ output, resume, force }: CheckedRequest): TrialLog | undefined {
  if (output === undefined) return undefined;
  try {
    mkdirSync(output, { recursive: true });
  } catch (cause) {
    throw new AuspexError('FILE_UNWRITABLE', `the folder cannot be created: ${(cause as Error).message}`, {
      where: { file: output },
      kind: 'failure',
      cause,
    });
  }
  return TrialLog.open(join(output, SEARCH_FILES.log), { resume, replace: force && !resume });
}

/** The first line of a log; a log that is then refused has not been opened for writing. */
function firstRecord(path: string): unknown {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(65_536);
      const [line] = bytes.toString('utf8', 0, readSync(file, bytes)).split('\n');
      return JSON.parse(line!);
    } finally {
      closeSync(file);
    }
  } catch {
    // What is wrong with it is said when it is opened.
    return undefined;
  }
}
