// The last step of a build: makes the command line a few files, because loading a hundred modules takes longer than
// inspecting a network, and puts it into node_modules/.bin, where `npx auspex` looks first (see pack.js for why
// package.json has no `bin` of its own). The library stays as the compiler wrote it.
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '..');
const cli = join(root, 'dist/cli/main.js');

// Parts lie beside main.js, so that paths relative to a module are the same in it and in its part.
const CHUNK = '.chunk.js';
const folder = dirname(cli);
const bundle = await rolldown({ input: cli, platform: 'node' });
const { output } = await bundle.generate({ format: 'esm', chunkFileNames: `[name]${CHUNK}` });
await bundle.close();
// Only now: until here, the command is read from where it is written to.
for (const name of readdirSync(folder)) if (name.endsWith(CHUNK)) rmSync(join(folder, name));
for (const chunk of output) writeFileSync(join(folder, chunk.fileName), chunk.code);
chmodSync(cli, 0o755);

const bin = join(root, 'node_modules/.bin');
mkdirSync(bin, { recursive: true });
rmSync(join(bin, 'auspex'), { force: true });
if (process.platform === 'win32') writeFileSync(join(bin, 'auspex.cmd'), `@node "${cli}" %*\r\n`);
else symlinkSync('../../dist/cli/main.js', join(bin, 'auspex'));
