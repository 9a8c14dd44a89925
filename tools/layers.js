// The rule that keeps the architecture: a folder under src/ imports only from itself and from rows below its
// own, and `node:` stays out of everything that must also run in a page. Run by `npm run lint`.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** From the top row down, as in docs/architecture.md. Folders of one row do not import each other. */
const ROWS = [
  ['cli', 'server', 'api'],
  ['app'],
  ['reproduce'],
  ['search', 'measure', 'store'],
  ['report'],
  ['predictors', 'proxies'],
  ['networks'],
  ['spaces', 'datasets', 'inputs'],
  ['nn'],
  ['transform'],
  ['runtime'],
  ['autodiff'],
  ['analysis'],
  ['ops'],
  ['onnx'],
  ['graph'],
  ['metrics'],
  ['util'],
];

/** What may use Node's own modules. Test files may, too. */
const NODE_ONLY = [
  /^(app|cli|server|reproduce|store|measure)\//,
  /^api\/disk\.ts$/,
  /^onnx\/(file|output-file)\.ts$/,
  /^inputs\/(npy|images\/(image-folder|cifar|png))\.ts$/,
  /^index\.ts$/,
];

/** The one upward import that tests need: operators are checked through inference. */
const TEST_FILE = /\.(test|testing)\.ts$/;

const root = resolve(import.meta.dirname, '../src');
const rowOf = new Map(ROWS.flatMap((row, i) => row.map((folder) => [folder, i])));
const problems = [];

for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
  const file = relative(root, join(entry.parentPath, entry.name));
  const folder = file.includes('/') ? file.split('/')[0] : undefined;
  if (folder !== undefined && !rowOf.has(folder)) problems.push(`${file}: folder '${folder}' is in no row`);
  if (TEST_FILE.test(file)) continue;
  const source = readFileSync(join(root, file), 'utf8');
  for (const [, specifier] of source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)) {
    if (specifier.startsWith('node:')) {
      if (!NODE_ONLY.some((allowed) => allowed.test(file))) problems.push(`${file}: imports ${specifier}`);
      continue;
    }
    if (specifier === './onnx/file.js' && file !== 'index.ts') problems.push(`${file}: imports ${specifier}`);
    if (!specifier.startsWith('.') || folder === undefined) continue;
    const target = relative(root, resolve(root, dirname(file), specifier));
    const other = target.split('/')[0];
    if (other === folder) continue;
    if (!target.includes('/') || !(rowOf.get(other) > rowOf.get(folder))) {
      problems.push(`${file}: ${folder}/ must not import from ${other}/ (${specifier})`);
    }
  }
}

/** What pages may import: nothing that it leads to uses Node's own modules. */
const PAGE_ENTRIES = [
  'web.ts',
  'extend.ts',
  'graph.ts',
  'spaces.ts',
  ...['datasets', 'metrics', 'nn', 'predictors', 'proxies', 'report', 'search'].map(
    (folder) => `${folder}/index.ts`,
  ),
];

/** Files that a file leads to, with the first way there; types lead nowhere. */
function reached(entry, way = [entry], found = new Map()) {
  found.set(entry, way);
  const source = readFileSync(join(root, entry), 'utf8');
  const imports = /^(?:import|export)\s+(?!type\b)(?:[^;']*?\bfrom\s*)?'([^']+)'/gm;
  for (const [, specifier] of source.matchAll(imports)) {
    if (specifier.startsWith('node:')) problems.push(`${way.join(' → ')}: pages have no ${specifier}`);
    if (!specifier.startsWith('.')) continue;
    const target = relative(root, resolve(root, dirname(entry), specifier)).replace(/\.js$/, '.ts');
    if (!found.has(target)) reached(target, [...way, target], found);
  }
  return found;
}

for (const entry of PAGE_ENTRIES) reached(entry);

for (const problem of problems) console.error(`layers: ${problem}`);
if (problems.length > 0) process.exit(1);
