// A page that uses auspex: bundled by rolldown, run by headless Chromium.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { rolldown } from 'rolldown';

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);

/** Bundles a module of a folder for pages, and puts the runtime's WebAssembly beside it, as an application does. */
export async function bundlePage(folder: string, source: string): Promise<string> {
  const out = mkdtempSync(join(folder, 'page-'));
  const input = join(folder, 'page.js');
  writeFileSync(input, source);
  const problems: string[] = [];
  const bundle = await rolldown({
    input,
    platform: 'browser',
    onLog: (_, { message }) => void problems.push(message),
  });
  await bundle.write({ dir: out, format: 'esm' });
  await bundle.close();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const runtime = join(folder, 'node_modules/onnxruntime-web/dist');
  const parts = readdirSync(runtime).filter((name) =>
    /^ort-wasm-simd-threaded(\.jsep)?\.(mjs|wasm)$/.test(name),
  );
  for (const name of parts) cpSync(join(runtime, name), join(out, name));
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(out, 'index.html'), PAGE);
  return out;
}

/** Sends home what `main` of the bundle gives. */
const PAGE = `<!doctype html><title>auspex</title><script type="module">
const told = await import('./page.js').then(({ main }) => main()).catch((error) => ({ error: String(error) }));
await fetch('/told', { method: 'POST', body: JSON.stringify(told) });
</script>`;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** Opens a bundled page and waits for what it tells. */
export async function openPage(page: string): Promise<unknown> {
  let tell: (text: string) => void;
  const told = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      const body = await request.toArray();
      response.end();
      return tell(Buffer.concat(body).toString());
    }
    const path = join(page, request.url === '/' ? 'index.html' : request.url!);
    if (!existsSync(path)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/plain' }).end(readFileSync(path));
  });
  await once(server.listen(0, 'localhost'), 'listening');
  const { port } = server.address() as AddressInfo;
  const profile = mkdtempSync(join(page, 'profile-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`];
  const browser = spawn(CHROMIUM!, [...flags, `http://localhost:${port}/`], { stdio: 'ignore' });
  const closed = once(browser, 'close');
  try {
    const ended = closed.then(([code]) => {
      throw new Error(`the browser ended with ${code}`);
    });
    return JSON.parse(await Promise.race([told, ended]));
  } finally {
    browser.kill();
    await closed;
    server.closeAllConnections();
    server.close();
  }
}
