// Builds the page into dist/page, unless nothing that it is made of has changed since. Fails on warnings. Run by
// `npm run build`, after the compiler.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build, createLogger } from 'vite';

const root = resolve(import.meta.dirname, '..');
const out = join(root, 'dist/page');
const stamp = join(root, 'dist/page.stamp');

/** Of all sources, and of the versions of all packages. */
function digestOfSources() {
  const hash = createHash('sha256');
  const files = ['web', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() && !/\.(test|testing)\.ts$|fixtures/.test(join(entry.parentPath, entry.name)),
      )
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [...files, join(root, 'package-lock.json'), import.meta.filename].sort()) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex');
}

const digest = digestOfSources();
const isBuilt =
  existsSync(join(out, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
if (!isBuilt) {
  const logger = createLogger('warn');
  const warnings = [];
  const warn = (message) => void warnings.push(message);
  await build({
    configFile: join(root, 'web/vite.config.ts'),
    logLevel: 'warn',
    customLogger: { ...logger, warn, warnOnce: warn },
  });
  for (const warning of warnings) console.error(`page: ${warning}`);
  if (warnings.length > 0) process.exit(1);
  writeOffline();
  writeFileSync(stamp, digest);
}

/** The list of files that the page keeps for when there is no connection; see web/public/offline.js. */
function writeOffline() {
  const files = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'offline.js')
    .map((entry) => relative(out, join(entry.parentPath, entry.name)).split('\\').join('/'))
    // The runtime is kept once it was used.
    .filter((name) => !name.endsWith('.wasm'))
    .sort();
  const path = join(out, 'offline.js');
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.replace('/* FILES */ []', JSON.stringify(files)));
}
