// Examples of the documentation as programs: imports of what they name, and checks of what their comments claim.
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { isClaim } from './claims.testing.js';

export interface Example {
  /** Where it stands: `auspex predict`, `README.md line 120`. */
  readonly from: string;
  readonly code: string;
  /** How many values its comments claim. */
  readonly claims: number;
}

/** The blocks of TypeScript and JavaScript in a file of documentation. */
export function codeBlocks(path: string, name: string): { from: string; code: string }[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^```(?:ts|js)\n([\s\S]*?)^```/gm)].map((match) => ({
    from: `${name} line ${text.slice(0, match.index).split('\n').length}`,
    code: match[1]!,
  }));
}

/**
 * A module of an example: values that are named and not declared are imported.
 *
 * @param exported names by the subpath that exports them; the first one that has a name wins
 */
export function exampleOf(
  from: string,
  source: string,
  exported: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): Example {
  const file = ts.createSourceFile('example.ts', source, ts.ScriptTarget.ES2023, true);
  const named = new Set<string>();
  const declared = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) (isDeclared(node) ? declared : named).add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const imports: string[] = [];
  const taken = new Set(declared);
  for (const [subpath, names] of exported) {
    const wanted = [...names].filter((name) => named.has(name) && !taken.has(name));
    for (const name of wanted) taken.add(name);
    if (wanted.length > 0) imports.push(`import { ${wanted.sort().join(', ')} } from '${subpath}';`);
  }
  const { code, claims } = withChecks(file);
  return { from, code: [...imports, code, 'export {};', ''].join('\n'), claims };
}

/** Whether an identifier is declared here and not read; properties are neither. */
function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  if (ts.isBindingElement(parent)) return parent.name === node;
  const isName = (ts.isVariableDeclaration(parent) || ts.isParameter(parent)) && parent.name === node;
  return isName || ts.isImportSpecifier(parent) || ts.isNamespaceImport(parent);
}

/** The same code with a check behind every statement whose comment claims a value. */
function withChecks(file: ts.SourceFile): { code: string; claims: number } {
  const text = file.text;
  let code = '';
  let claims = 0;
  for (const statement of file.statements) {
    const end = statement.getEnd();
    const [, comment = ''] = /^[ \t]*\/\/ ?(.*)/.exec(text.slice(end)) ?? [];
    const whole = statement.getFullText();
    const values = isClaim(comment) ? claimed(statement) : undefined;
    if (values === undefined) {
      code += whole;
      continue;
    }
    claims++;
    const check = `__claim(${JSON.stringify(comment)}, [${values.join(', ')}]);`;
    code += ts.isExpressionStatement(statement) ? `\n${check}` : `${whole}\n${check}`;
  }
  return {
    code: `declare function __claim(claim: string, values: readonly unknown[]): void;\n${code}`,
    claims,
  };
}

/** What a claim behind a statement is about. */
function claimed(statement: ts.Statement): string[] | undefined {
  if (ts.isVariableStatement(statement)) {
    const [declaration] = statement.declarationList.declarations;
    return declaration && ts.isIdentifier(declaration.name) ? [declaration.name.text] : undefined;
  }
  if (!ts.isExpressionStatement(statement)) return undefined;
  const { expression } = statement;
  const isPrinted = ts.isCallExpression(expression) && expression.expression.getText() === 'console.log';
  return isPrinted ? expression.arguments.map((argument) => argument.getText()) : [expression.getText()];
}
