// The names of the public API with what is written above them: docs/reference/api.md is made from it (`npm run docs`), and
// a test compiles and runs every example. Reads the types in dist/, as users get them.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '..');
const MANIFEST = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'));
/** Modules; `./bundled/*` are files. */
const EXPORTS = Object.fromEntries(Object.entries(MANIFEST.exports).filter(([path]) => !path.includes('*')));
const DOCS = resolve(ROOT, 'docs/reference/api.md');

/** The file with the types of a subpath, such as `./nn`. */
const typesOf = (subpath) => resolve(ROOT, EXPORTS[subpath].types);

/**
 * Every value that subpaths export: its name, signature, description and examples.
 *
 * @param {readonly string[]} subpaths
 */
export function apiEntries(subpaths) {
  const program = typesProgram();
  const checker = program.getTypeChecker();
  return subpaths.flatMap((subpath) => entriesOf(subpath, program, checker));
}

let known;

/** The types of all subpaths, read once. */
function typesProgram() {
  known ??= ts.createProgram(Object.keys(EXPORTS).map(typesOf), {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    skipLibCheck: true,
    types: [],
  });
  return known;
}

function entriesOf(subpath, program, checker) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(typesOf(subpath)));
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    if (!(symbol.flags & ts.SymbolFlags.Value) || isType(exported)) return [];
    const tags = symbol.getJsDocTags(checker);
    const text = (name) =>
      tags.filter((tag) => tag.name === name).map((tag) => ts.displayPartsToString(tag.text));
    return {
      subpath,
      name: exported.name,
      signature: signatureOf(symbol),
      description: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
      parameters: text('param'),
      fields: optionFields(symbol, checker),
      throws: text('throws'),
      examples: text('example'),
    };
  });
}

/** Exported with the word `type`. */
function isType(exported) {
  return exported.declarations?.some(
    (node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly),
  );
}

/** The fields of a function's options, where its last parameter is called so. */
function optionFields(symbol, checker) {
  const [declaration] = symbol.declarations;
  const options = ts.isFunctionDeclaration(declaration) ? declaration.parameters.at(-1) : undefined;
  if (options?.name.getText() !== 'options') return [];
  const type = checker.getNonNullableType(checker.getTypeAtLocation(options));
  return checker.getPropertiesOfType(type).map((field) => {
    const about = ts.displayPartsToString(field.getDocumentationComment(checker)).replace(/\s+/g, ' ');
    const node = field.valueDeclaration;
    const text = (node?.type?.getText() ?? '').replace(/\s+/g, ' ').replace(/ \| undefined$/, '');
    return { name: field.name, type: text, about };
  });
}

/** The declaration in one line; of a class its name. */
function signatureOf(symbol) {
  const [declaration] = symbol.declarations;
  if (ts.isClassDeclaration(declaration)) return `class ${symbol.name}`;
  return declaration
    .getText()
    .replace(/^export (declare )?(async )?(function )?/, '')
    .replace(/\s+/g, ' ')
    .replace(/;$/, '');
}

/** Names under the headings (`// # Networks`) of the entry files. */
function headings() {
  const found = new Map();
  for (const file of ['src/web.ts', 'src/index.ts']) {
    let heading = '';
    for (const [, title, list] of readFileSync(resolve(ROOT, file), 'utf8').matchAll(
      /^\/\/ # (.+)$|^export \{([^}]*)\}/gm,
    )) {
      heading = title ?? heading;
      const names = (list ?? '').split(',').map((name) => name.trim());
      const values = names.filter((name) => name !== '' && !name.startsWith('type '));
      found.set(heading, [...(found.get(heading) ?? []), ...values]);
    }
  }
  return found;
}

/** The first sentence of the comment that a file opens with, without its own name. */
function aboutFile(subpath) {
  const source = typesOf(subpath)
    .replace(/dist/, 'src')
    .replace(/\.d\.ts$/, '.ts');
  const comment = /^(?:\/\/.*\n)+/.exec(readFileSync(source, 'utf8'))[0].replace(/^\/\/ ?/gm, '');
  return comment
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^`[^`]+`: /, '');
}

/** docs/reference/api.md. */
export function apiDocs() {
  const entries = apiEntries(['.', './extend']);
  const root = new Map(entries.filter((e) => e.subpath === '.').map((e) => [e.name, e]));
  const inPage = new Set(apiEntries(['./web']).map(({ name }) => name));
  const lines = [
    '# The library',
    '',
    'Everything here is exported by `auspex`; an example imports what it names from there. Made from the comments in the source',
    'by `npm run docs`; a test compiles and runs every example.',
    'What goes wrong is an `AuspexError` with a stable `code`, also for options of the wrong type.',
    '',
    "In a page, `import … from 'auspex'` gives the same names except those marked *Node only*. Paths are for Node; bytes work",
    'everywhere.',
    '',
  ];
  for (const [title, names] of headings()) {
    lines.push(`## ${title}`, '');
    for (const name of names) lines.push(...entryLines(root.get(name), !inPage.has(name)));
  }
  lines.push('## Subpaths', '', '| import | what |', '|---|---|');
  for (const subpath of Object.keys(EXPORTS)) {
    if (subpath !== '.') lines.push(`| \`auspex${subpath.slice(1)}\` | ${aboutFile(subpath)} |`);
  }
  lines.push('', '## Extending: `auspex/extend`', '');
  lines.push('See [extending.md](../guides/extending.md) for plugins of the command line.', '');
  for (const entry of entries) {
    if (entry.subpath === './extend' && !root.has(entry.name) && entry.examples.length > 0) {
      lines.push(...entryLines(entry, false));
    }
  }
  return `${lines.join('\n').trim()}\n`;
}

function entryLines({ name, signature, description, parameters, fields, throws, examples }, isNodeOnly) {
  const paragraph = description.replace(/\n/g, ' ').trim();
  return [
    `### ${name}`,
    '',
    isNodeOnly ? `*Node only.* ${paragraph}` : paragraph,
    '',
    '```ts',
    signature,
    '```',
    '',
    ...parameters.map((text) => `- \`${text.replace(/\s+/, '`: ').replace(/\n/g, ' ')}`),
    ...throws.map((text) => `- throws ${text.replace(/\n/g, ' ')}`),
    ...(parameters.length + throws.length > 0 ? [''] : []),
    ...(fields.length === 0 ? [] : ['| option | type | |', '|---|---|---|']),
    ...fields.map(
      (field) => `| \`${field.name}\` | \`${field.type.replaceAll('|', '\\|')}\` | ${field.about} |`,
    ),
    ...(fields.length === 0 ? [] : ['']),
    ...examples.flatMap((code) => ['```ts', code.trim(), '```', '']),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(DOCS, apiDocs());
