// The last step of a build: makes the command line one file, because loading a hundred modules takes longer
// than inspecting a network, and puts it into node_modules/.bin, where `npx auspex` looks first (see
// pack.js for why package.json has no `bin` of its own). The library stays as the compiler wrote it.
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '..');
const cli = join(root, 'dist/cli/main.js');

const bundle = await rolldown({ input: cli, platform: 'node' });
await bundle.write({ file: `${cli}.tmp`, format: 'esm' });
await bundle.close();
renameSync(`${cli}.tmp`, cli);
chmodSync(cli, 0o755);

const bin = join(root, 'node_modules/.bin');
mkdirSync(bin, { recursive: true });
rmSync(join(bin, 'auspex'), { force: true });
if (process.platform === 'win32') writeFileSync(join(bin, 'auspex.cmd'), `@node "${cli}" %*\r\n`);
else symlinkSync('../../dist/cli/main.js', join(bin, 'auspex'));
