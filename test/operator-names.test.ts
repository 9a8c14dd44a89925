// No second list of operator names: what operators are is said in src/ops, as traits and names of inputs. This test
// reads the source above it and finds texts that are names of operators, where they are not written into a graph.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { allOperators } from '../src/ops/index.js';
import { SCHEMAS } from '../src/ops/schemas.generated.js';

/** Where such texts may stand, and why; of a file with `names` only these. */
const ALLOWED: Readonly<Record<string, { readonly why: string; readonly names?: readonly string[] }>> = {
  'analysis/parameters.ts': { names: ['Constant'], why: 'what exporters call tensors without a name' },
  'spaces/onnx/rules/activation.ts': {
    names: ['Relu', 'LeakyRelu', 'Elu', 'Gelu', 'HardSwish', 'Mish'],
    why: 'the options of a search space: nodes that it writes',
  },
  'predictors/views/computation-graph/primitive-ops.ts': {
    why: "GENNAPE's 32 labels and what they are called in ONNX",
  },
  'predictors/views/computation-graph/primitive-details.ts': { why: "GENNAPE's labels" },
  'predictors/views/computation-graph/computation-graph.ts': { why: "GENNAPE's labels" },
  'predictors/views/computation-graph/image-sizes.ts': { why: "GENNAPE's labels" },
  'predictors/views/computation-graph/vocabulary.ts': {
    why: 'labels of the second vocabulary, and operators of one trait that it tells apart',
  },
  'predictors/views/flow/flow.ts': { why: "GENNAPE's labels, by what they do to the flow of data" },
  'predictors/views/nnlqp/operators.ts': { why: "NNLQP's 28 codes" },
  'predictors/views/nnlqp/counting.ts': { why: "NNLQP's counting, by code" },
  'predictors/views/nnlqp/network-graph.ts': {
    names: ['Gemm'],
    why: "the code of a dense layer in NNLQP's graphs",
  },
};

/** Functions that write a node; the operator is their first argument. */
const WRITERS = new Set(['makeNode', 'node', 'op', 'apply', 'write']);

const NAMES = new Set([
  ...Object.keys(SCHEMAS).flatMap((key) => [key.split('::').at(-1)!, key.replace('::', '.')]),
  ...allOperators().keys(),
]);

interface Found {
  readonly name: string;
  readonly line: number;
}

/** The texts of a file that are names of operators, and the words of its regular expressions. */
function namesIn(text: string): Found[] {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const note = (node: ts.Node, name: string): void => {
    if (NAMES.has(name)) {
      found.push({ name, line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && !isWritten(node)) note(node, node.text);
    else if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) note(node, node.name.text);
    else if (ts.isRegularExpressionLiteral(node)) {
      for (const [word] of node.text.matchAll(/[A-Z][A-Za-z]{2,}/g)) note(node, word);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Whether a text is the operator of a node that is written: an argument of a writer, or `opType` of an object. */
function isWritten(literal: ts.Node): boolean {
  const { parent } = literal;
  if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
    return isWritten(parent);
  }
  if (ts.isConditionalExpression(parent) && parent.condition !== literal) return isWritten(parent);
  if (ts.isPropertyAssignment(parent)) return parent.name.getText() === 'opType';
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== literal) return false;
  const { expression } = parent;
  const callee = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
  return WRITERS.has(callee);
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter(
    (file) => /\.ts$/.test(file) && !/\.(test|testing)\.ts$|\.d\.ts$/.test(file) && !file.startsWith('ops/'),
  );

describe('names of operators above ops/', () => {
  it('stand nowhere but where they are written into a graph, or are features of a paper', () => {
    const problems = files.flatMap((file) => {
      const allowed = ALLOWED[file];
      if (allowed !== undefined && allowed.names === undefined) return [];
      return namesIn(readFileSync(`src/${file}`, 'utf8'))
        .filter(({ name }) => !allowed?.names?.includes(name))
        .map(({ name, line }) => `src/${file}:${line} '${name}'`);
    });
    // Ask for a trait (src/ops/traits.ts) or for a named input instead.
    expect(problems).toEqual([]);
  });

  it('are still where they are allowed', () => {
    for (const [file, { names }] of Object.entries(ALLOWED)) {
      const found = new Set(namesIn(readFileSync(`src/${file}`, 'utf8')).map(({ name }) => name));
      expect([file, found.size > 0]).toEqual([file, true]);
      for (const name of names ?? [])
        expect([file, [...found]]).toEqual([file, expect.arrayContaining([name])]);
    }
  });

  it.each([
    ["const LIST = new Set(['Relu', 'Elu']);", ['Relu', 'Elu']],
    ["if (node.opType === 'Conv') {}", ['Conv']],
    ['const table = { MatMul: 1 };', ['MatMul']],
    ['const isPool = /^(Global)?MaxPool$/.test(x);', ['MaxPool']],
    ["names.includes('com.microsoft.FusedConv');", ['com.microsoft.FusedConv']],
    ["makeNode('Identity', [a], [b]);", []],
    ["builder.op(isFlat ? 'Reshape' : 'Flatten', [x]);", []],
    ["makeNode(operator ?? 'Identity', [a], [b]);", []],
    ["const node = { opType: 'Identity', domain: '' };", []],
    ["const text = 'a Conv is not its name';", []],
  ])('%s', (text, names) => {
    expect(namesIn(text).map(({ name }) => name)).toEqual(names);
  });
});
