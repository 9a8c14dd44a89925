// The documentation of all operators, from their definitions.
import { allOperators } from './index.js';
import { type Operator, OWN_DOMAIN } from './operator.js';

const INTRODUCTION = `# Operators

Every operator auspex infers shapes for and counts, from its definition in \`src/ops/\`. FLOPs are
2 × MACs + what the last column says; one FLOP is one arithmetic step on one element, whatever the hardware
needs for it. Operators that only move data count 0. Made by \`npm run docs\`.
`;

/** The text of docs/operators.md. */
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
          `| ${name} | ${weights(operator)} | ${operator.cost.describe.replaceAll('|', '\\|')} |`,
      );
    return [
      `## ${domain}`,
      '',
      '| operator | inputs that are weights | count |',
      '|---|---|---|',
      ...rows,
      '',
    ].join('\n');
  });
  return [INTRODUCTION, ...sections].join('\n');
}

/** Which inputs hold weights or statistics, by position. */
function weights({ roles }: Operator): string {
  const named = (roles ?? []).flatMap((role, i) =>
    role === 'weight' ? [String(i)] : role === 'statistic' ? [`${i} (statistic)`] : [],
  );
  return named.join(', ');
}
