// The server of the page: to this machine only, for those who know the address, and nothing but what was given.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GivenFiles } from './given-files.js';
import { type PageServer, servePage } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-view-'));
const secret = join(folder, 'secret.txt');

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** A request as it is: nothing of the path is tidied up. */
function ask(
  server: PageServer,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<Answer> {
  const { hostname, port } = new URL(server.address);
  return new Promise((done, failed) => {
    const sent = request({ hostname, port, path, method, headers }, async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece as Buffer);
      done({
        status: response.statusCode!,
        body: Buffer.concat(pieces).toString(),
        headers: response.headers,
      });
    });
    sent.on('error', failed);
    sent.end(body);
  });
}

describe('the server of the page', () => {
  let server: PageServer;
  let base: string;
  let origin: string;
  beforeAll(async () => {
    mkdirSync(join(folder, 'page'));
    writeFileSync(join(folder, 'page/index.html'), '<title>page</title>');
    writeFileSync(secret, 'secret');
    mkdirSync(join(folder, 'given'));
    writeFileSync(join(folder, 'given/scores.jsonl'), '0123456789');
    symlinkSync(secret, join(folder, 'given/linked.txt'));
    const files = new GivenFiles();
    files.add(join(folder, 'given'));
    server = await servePage(files, 0, join(folder, 'page'));
    base = new URL(server.address).pathname;
    origin = new URL(server.address).origin;
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it('serves the page with a strict policy', async () => {
    const { status, headers, body } = await ask(server, base);
    expect([status, body]).toEqual([200, expect.stringMatching(/name="auspex-view".*<title>page/s)]);
    expect(headers['content-security-policy']).toMatch(
      /default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/,
    );
    expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe-inline/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('serves given files, and parts of them', async () => {
    const { files } = JSON.parse((await ask(server, `${base}files.json`)).body) as {
      files: { name: string; url: string }[];
    };
    expect(files.map(({ name }) => name)).toEqual(['scores.jsonl']);
    expect((await ask(server, `${base}${files[0]!.url}`)).body).toBe('0123456789');
    const part = await ask(server, `${base}${files[0]!.url}`, { range: 'bytes=2-4' });
    expect([part.status, part.body, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
    expect((await ask(server, `${base}${files[0]!.url}`, { range: 'bytes=10-' })).status).toBe(416);
  });

  it.each([
    ['another folder', '../secret.txt'],
    ['an encoded path', '..%2f..%2fsecret.txt'],
    ['an absolute path', `/${secret}`],
    ['a file that was not given', 'files/1'],
    ['a link of a given folder', 'files/linked.txt'],
    ['a negative number', 'files/-1'],
    ['sources beside the page', '../cli/main.js'],
  ])('does not serve %s', async (_, path) => {
    expect((await ask(server, `${base}${path}`)).status).toBe(404);
  });

  it('answers nobody who does not know the address, or comes from elsewhere', async () => {
    expect((await ask(server, '/')).status).toBe(404);
    expect((await ask(server, '/index.html')).status).toBe(404);
    expect((await ask(server, base, { host: 'evil.example' })).status).toBe(403);
    expect((await ask(server, `${base}files.json`, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await ask(server, `${base}files.json`, { origin: 'null' })).status).toBe(403);
    expect((await ask(server, `${base}files/0`, {}, 'DELETE')).status).toBe(405);
  });

  it('opens a path only for the page itself', async () => {
    const body = JSON.stringify({ path: secret });
    expect((await ask(server, `${base}open`, {}, 'POST', body)).status).toBe(403);
    expect((await ask(server, `${base}open`, { origin: 'http://evil.example' }, 'POST', body)).status).toBe(
      403,
    );
    const { status, body: told } = await ask(
      server,
      `${base}open`,
      { origin },
      'POST',
      JSON.stringify({ path: '/nowhere' }),
    );
    expect([status, told]).toEqual([400, expect.stringContaining('FILE_UNREADABLE')]);
    expect((await ask(server, `${base}open`, { origin }, 'POST', '{')).status).toBe(400);
    expect((await ask(server, `${base}open`, { origin }, 'POST', 'x'.repeat(20_000))).status).toBe(413);
  });

  it('listens on loopback only', async () => {
    const { port } = new URL(server.address);
    const [outside] = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    if (outside === undefined) return;
    const isOpen = await new Promise<boolean>((done) => {
      const socket = connect(Number(port), outside.address);
      socket.on('connect', () => done(true)).on('error', () => done(false));
    });
    expect(isOpen).toBe(false);
  });
});
