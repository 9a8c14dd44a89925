// Builds dist/ after `npm ci` and `npm install`. npm also runs this when `npx auspex` links the checkout into
// its cache: what is built then is what runs, and starting a command must not wait for a compiler.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const isBuilt = existsSync(join(root, 'dist/cli/main.js'));

if (process.env.npm_command !== 'exec' || !isBuilt) {
  const shell = process.platform === 'win32';
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit', shell });
}
