// The documentation of all operators, from their definitions.
import { allOperators } from './index.js';
import { type Operator, OWN_DOMAIN } from './operator.js';

const INTRODUCTION = `# Operators

Every operator auspex infers shapes for and counts, from its definition in \`src/ops/\`. FLOPs are
2 × MACs + what the last column says; one FLOP is one arithmetic step on one element, whatever the hardware
needs for it. Operators that only move data count 0. Inputs are called as in ONNX's own
documentation; traits are explained in \`src/ops/traits.ts\`. Made by \`npm run docs\`.
`;

/** The text of docs/reference/operators.md. */
export function operatorDocs(): string {
  const domains = new Map<string, [name: string, operator: Operator][]>();
  for (const [key, operator] of allOperators()) {
    const at = key.lastIndexOf('.');
    const domain = at < 0 ? 'ai.onnx' : key.slice(0, at);
    if (domain === OWN_DOMAIN) continue;
    domains.set(domain, [...(domains.get(domain) ?? []), [key.slice(at + 1), operator]]);
  }
  const sections = [...domains].map(([domain, operators]) => {
    const rows = operators
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([name, operator]) =>
          `| ${name} | ${weights(operator)} | ${kinds(operator)} | ${operator.cost.describe.replaceAll('|', '\\|')} |`,
      );
    return [
      `## ${domain}`,
      '',
      '| operator | inputs that are weights | traits | count |',
      '|---|---|---|---|',
      ...rows,
      '',
    ].join('\n');
  });
  return [INTRODUCTION, ...sections].join('\n');
}

/** Which inputs hold weights or statistics, by name. */
function weights({ roles = {} }: Operator): string {
  const learned = [roles.weight, roles.scale, roles.bias].flatMap((names) => names ?? []);
  const measured = [roles.mean, roles.variance].flatMap((names) => names ?? []);
  return [...learned, ...measured.map((name) => `${name} (statistic)`)].join(', ');
}

/** What kind of operator it is, in the words of traits.ts. */
function kinds({ traits = {} }: Operator): string {
  return Object.entries(traits)
    .map(([trait, value]) => {
      if (value === true) return trait;
      const text = typeof value === 'string' ? value : Object.values(value as object).join(' ');
      return `${trait}: ${text}`;
    })
    .join(', ');
}
