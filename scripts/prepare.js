// Builds dist/ unless it is already newer than every source. npm runs this after `npm ci`, and again when
// `npx auspex` links the checkout into its cache: the second time must not take seconds.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const main = join(root, 'dist/cli/main.js');

function newest(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((time, entry) => Math.max(time, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0);
}

if (!existsSync(main) || statSync(main).mtimeMs < newest(join(root, 'src'))) {
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}
