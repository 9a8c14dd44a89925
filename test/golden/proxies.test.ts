// Scores of all proxies and their variants on three networks of spaces and three files, through the command line.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  differences,
  findFile,
  forAll,
  isUpdate,
  output,
  ROOT,
  readFixture,
  writeFixture,
} from './harness.js';

interface Inputs {
  variants: string[];
  /** Of scores that are to change: why. */
  comments: Record<string, string>;
  networks: {
    name: string;
    space?: string;
    arch?: string;
    file?: string;
    options: string[];
    more?: string[];
    plain?: true;
  }[];
}

interface Frozen {
  comments: Record<string, string>;
  /** Those that `all` stands for, in their order. */
  all: string[];
  networks: Record<string, { scores: Record<string, number | null>; errors: Record<string, string> }>;
}

interface ProxyJson {
  proxies: { name: string }[];
  networks: { scores: Record<string, number | null>; errors?: Record<string, { code: string }> }[];
}

const FIXTURE = 'proxies.json';
/** Relative: weights are float32, and sums are taken in another order after a change. */
const TOLERANCE = 1e-4;
const { variants, comments, networks } = readFixture<Inputs>('proxy-inputs.json');
const found: Frozen = { comments, all: [], networks: {} };

beforeAll(async () => {
  const documents = await forAll(networks, async ({ space, arch, file, options, more = [], plain }) => {
    const network = file === undefined ? ['--space', space!, arch!] : [findFile(file)];
    const common = [
      '--proxies',
      ['all', ...(plain ? [] : variants), ...more].join(','),
      '--seed',
      '3',
      '--threads',
      '1',
      '--json',
    ];
    return JSON.parse(await output(ROOT, ['proxy', ...network, ...options, ...common])) as ProxyJson;
  });
  documents.forEach((document, i) => {
    const [{ scores, errors = {} }] = document.networks as [ProxyJson['networks'][0]];
    const codes = Object.entries(errors).map(([name, { code }]) => [name, code]);
    found.networks[networks[i]!.name] = { scores, errors: Object.fromEntries(codes) };
  });
  const asked = documents[0]!.proxies.map(({ name }) => name);
  found.all = asked.filter((name) => !variants.includes(name));
  if (isUpdate) writeFixture(FIXTURE, found);
}, 240_000);

describe('scores', () => {
  const frozen = isUpdate ? found : readFixture<Frozen>(FIXTURE);

  it('are of the proxies that there were', () => {
    expect(found.all).toEqual(expect.arrayContaining(frozen.all));
    expect(frozen.all.length).toBeGreaterThan(20);
  });

  it.each(networks)('of $name are what they were', ({ name }) => {
    const [then, now] = [frozen.networks[name]!, found.networks[name]!];
    // A proxy that is added later is nothing that was frozen.
    const known = (of: Record<string, number | null>) =>
      Object.fromEntries(Object.entries(of).filter(([proxy]) => proxy in then.scores));
    const changed = differences(then.scores, known(now.scores), TOLERANCE);
    const explained = changed.map((line) => {
      const comment = frozen.comments[line.slice(0, line.lastIndexOf(': '))];
      return comment === undefined ? line : `${line} (${comment})`;
    });
    expect(explained).toEqual([]);
    expect(now.errors).toEqual(then.errors);
  });
});
