// Documentation that is generated from the code, or that names parts of it, must agree with it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operatorDocs } from '../src/ops/docs.js';
import { proxyDocs } from '../src/proxies/docs.js';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** All Markdown files of the repository. */
const PAGES = [
  ...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
  ...['docs', 'bundled', 'examples', 'bench', 'verify'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  ),
];

/** Folders under src/, which docs name without it: `ops/traits.ts`. */
const FOLDERS = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Paths in code spans: `src/ops/traits.ts`, `spaces/{cells,mobile}/`, `verify/golden/*.py`. */
const PATH = new RegExp(
  `\`((?:src|verify|tools|test|bench|bundled|docs|examples|${FOLDERS.join('|')})\\/[^\\s\`]*)\``,
  'g',
);

function exists(path: string): boolean {
  const fixed = fixedPart(path);
  return existsSync(join(ROOT, fixed)) || existsSync(join(ROOT, 'src', fixed));
}

/** `a/{b,c}/d` is a/b/d and a/c/d. */
function alternatives(path: string): string[] {
  const found = /\{([^{}]*)\}/.exec(path);
  if (!found) return [path];
  return found[1]!.split(',').flatMap((part) => alternatives(path.replace(found[0], part.trim())));
}

/** Up to the first name with a wildcard or a placeholder. */
function fixedPart(path: string): string {
  const parts = path
    .replace(/[.,:;]+$/, '')
    .replace(/#.*$/, '')
    .split('/');
  const open = parts.findIndex(
    (part) =>
      /[*<>…]|^[A-Z]+(\.|$)/.test(part) && !/^(README|LICENSE|NOTICE|CHANGELOG|CONTRIBUTING)/.test(part),
  );
  return parts.slice(0, open < 0 ? parts.length : open).join('/');
}

/** Headings as GitHub names them in links. */
function anchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ +(.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Links of a page to other files of the repository, or to its own headings. */
function relativeLinks(markdown: string): string[] {
  const text = markdown.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target));
}

describe('documentation', () => {
  it('docs/reference/operators.md is what `npm run docs` makes', () => {
    expect(read('docs/reference/operators.md')).toBe(operatorDocs());
  });

  it('docs/reference/proxies.md is what `npm run docs` makes', () => {
    expect(read('docs/reference/proxies.md')).toBe(proxyDocs());
  });

  it('has no broken links', () => {
    const broken = PAGES.flatMap((page) =>
      relativeLinks(read(page))
        .filter((target) => {
          const [path, anchor] = target.split('#') as [string, string?];
          const file = path === '' ? page : join(dirname(page), path);
          if (!existsSync(join(ROOT, file))) return true;
          return anchor !== undefined && file.endsWith('.md') && !anchors(read(file)).includes(anchor);
        })
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('names only files that exist', () => {
    const missing = PAGES.flatMap((page) =>
      [...read(page).matchAll(PATH)]
        .flatMap(([, path]) => alternatives(path!))
        .filter((path) => !exists(path))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('names only tools that exist', () => {
    const missing = PAGES.flatMap((page) =>
      [...read(page).matchAll(/build\/((?:verify|bench)\/[\w/-]+)\.js/g)]
        .map(([, tool]) => `${tool}.ts`)
        .filter((tool) => !existsSync(join(ROOT, tool)))
        .map((tool) => `${page}: ${tool}`),
    );
    expect(missing).toEqual([]);
  });

  it('the README shows the commands that CI runs', () => {
    const readme = read('README.md');
    expect(readme).toContain('npm ci && npm test');
    expect(readme).toContain('npx auspex inspect examples/resnet8.onnx');
  });
});
