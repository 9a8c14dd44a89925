// Serves the page of the package and given files, to this machine only. Every address begins with a secret, so that other
// users of the machine and other pages of the browser get nothing.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative, sep } from 'node:path';
import { z } from 'zod';
import { AuspexError } from '../../util/errors.js';
import { BUNDLED_FOLDER, PAGE_FOLDER } from '../page-folder.js';
import type { GivenFiles, ServedFile } from './given-files.js';

const LOOPBACK = '127.0.0.1';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** Bodies of requests are paths. */
const MOST_BODY = 16 * 1024;

export interface PageServer {
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Starts the server.
 *
 * @param port 0 for any that is free
 * @param page the folder of the built page
 * @throws AuspexError PAGE_MISSING, PORT_TAKEN
 */
export async function servePage(files: GivenFiles, port = 0, page = PAGE_FOLDER): Promise<PageServer> {
  const pages = pageFiles(page);
  const secret = randomBytes(16).toString('hex');
  const server = createServer();
  server.listen(port, LOOPBACK);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new AuspexError('PORT_TAKEN', `port ${port} cannot be listened on`, {
      kind: 'failure',
      hint: 'leave out --port to take a free one',
      cause,
    });
  }
  const { port: taken } = server.address() as AddressInfo;
  const hosts = [`${LOOPBACK}:${taken}`, `localhost:${taken}`];
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response, { pages, files, secret, hosts }).catch(() => {
      if (response.headersSent) response.destroy();
      else fail(response, 500, 'the file cannot be read');
    });
  });
  return { address: `http://${LOOPBACK}:${taken}/${secret}/`, close: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** All files of the page and all predictors, by the names they are asked for. */
function pageFiles(page: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (folder: string, prefix: string): void => {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      found.set(`${prefix}${relative(folder, path).split(sep).join('/')}`, path);
    }
  };
  try {
    add(page, '');
    add(BUNDLED_FOLDER, 'bundled/');
  } catch (cause) {
    throw new AuspexError('PAGE_MISSING', 'the page was not built', {
      kind: 'failure',
      hint: 'in a checkout: npm run build',
      cause,
    });
  }
  return found;
}

interface Served {
  readonly pages: ReadonlyMap<string, string>;
  readonly files: GivenFiles;
  readonly secret: string;
  readonly hosts: readonly string[];
}

async function answer(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  const { method = '', headers, url = '' } = request;
  const { pages, files, secret, hosts } = served;
  // Names that resolve to this machine are refused: another page could have chosen them.
  if (!hosts.includes(headers.host ?? '')) return fail(response, 403, 'wrong host');
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) {
    return fail(response, 403, 'wrong origin');
  }
  const [path = ''] = url.split('?');
  const prefix = `/${secret}/`;
  if (!path.startsWith(prefix)) return fail(response, 404, 'not found');
  const asked = path.slice(prefix.length) || 'index.html';
  if (method === 'POST' && asked === 'open') return openPath(request, response, files);
  if (method !== 'GET' && method !== 'HEAD') return fail(response, 405, 'not allowed');
  if (asked === 'files.json') return json(response, 200, listOf(files.all));
  const [, number] = /^files\/(\d{1,9})$/.exec(asked) ?? [];
  const given = number === undefined ? undefined : files.get(Number(number));
  const file = given?.path ?? pages.get(asked);
  if (file === undefined) return fail(response, 404, 'not found');
  if (asked === 'index.html') return index(response, file);
  await send(request, response, file);
}

function listOf(files: readonly ServedFile[]): object {
  return { files: files.map(({ id, name, group }) => ({ name, url: `files/${id}`, group: String(group) })) };
}

/** The page is told that it can ask for files. */
function index(response: ServerResponse, path: string): void {
  const page = readFileSync(path, 'utf8').replace('<title>', '<meta name="auspex-view" />\n    <title>');
  response.writeHead(200, { ...HEADERS, 'Content-Type': TYPES['.html'] }).end(page);
}

/** A file or the part of it that is asked for. */
async function send(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  const { size } = statSync(path);
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  const headers = { ...HEADERS, 'Content-Type': type, 'Accept-Ranges': 'bytes' };
  if (first === undefined) response.writeHead(200, { ...headers, 'Content-Length': size });
  const start = Number(first ?? 0);
  const end = Math.min(size - 1, last ? Number(last) : size - 1);
  if (first !== undefined && (start > end || start >= size)) {
    response.writeHead(416, { ...headers, 'Content-Range': `bytes */${size}` }).end();
    return;
  }
  if (first !== undefined) {
    response.writeHead(206, {
      ...headers,
      'Content-Length': end - start + 1,
      'Content-Range': `bytes ${start}-${end}/${size}`,
    });
  }
  if (request.method === 'HEAD' || size === 0) {
    response.end();
    return;
  }
  const stream = createReadStream(path, { start, end });
  stream.on('error', () => response.destroy());
  response.on('close', () => stream.destroy());
  stream.pipe(response);
  await once(response, 'close');
}

/** A path that the user pasted into the page. */
async function openPath(
  request: IncomingMessage,
  response: ServerResponse,
  files: GivenFiles,
): Promise<void> {
  if (request.headers.origin === undefined) return fail(response, 403, 'wrong origin');
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > MOST_BODY) return fail(response, 413, 'too long');
    pieces.push(piece);
  }
  try {
    const { path } = z.object({ path: z.string() }).parse(JSON.parse(Buffer.concat(pieces).toString()));
    return json(response, 200, listOf(files.add(path)));
  } catch (error) {
    const told = error instanceof AuspexError ? error : new AuspexError('BAD_REQUEST', 'no path was given');
    const { code, message, hint } = told;
    return json(response, 400, { error: { code, message, hint } });
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': TYPES['.json'] }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': 'text/plain' }).end(`${why}\n`);
}
