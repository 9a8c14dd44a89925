// What a page pays for a part of the library: its bundle, minified.
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** Bytes of a bundle of everything that a module exports, or of what is named. */
async function bundled(path: string, what = '*'): Promise<{ readonly bytes: number; readonly text: string }> {
  const { outputFiles } = await build({
    stdin: { contents: `export ${what} from './${path}'`, resolveDir: join(ROOT, 'dist') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  });
  return { bytes: outputFiles[0]!.contents.length, text: outputFiles[0]!.text };
}

it('bundles all metrics in at most 20 kB, and one of them in less', async () => {
  const all = await bundled('metrics/index.js');
  expect(all.text).toContain('tau-gennape');
  expect(all.bytes).toBeLessThanOrEqual(20_000);
  const one = await bundled('metrics/index.js', '{ kendallTauB }');
  expect(one.bytes).toBeGreaterThan(100);
  expect(one.bytes).toBeLessThan(all.bytes / 2);
});
