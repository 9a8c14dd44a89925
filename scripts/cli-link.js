// Makes `npx auspex` work in a checkout: marks the built command line executable and puts it into
// node_modules/.bin, where npx looks first. See cli-bin.js for why package.json has no `bin` of its own.
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const cli = join(root, 'dist/cli/main.js');
const bin = join(root, 'node_modules/.bin');

chmodSync(cli, 0o755);
if (existsSync(join(root, 'node_modules'))) {
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, 'auspex'), { force: true });
  if (process.platform === 'win32') writeFileSync(join(bin, 'auspex.cmd'), `@node "${cli}" %*\r\n`);
  else symlinkSync('../../dist/cli/main.js', join(bin, 'auspex'));
}
