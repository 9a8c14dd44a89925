// A report as one HTML file: no scripts, nothing loaded from anywhere, so that it opens in ten years as it does today.
import { DARK, LIGHT } from '../plots/style.js';
import { escaped } from '../plots/svg.js';

const PAGE_STYLE = `:root{color-scheme:light dark}
body{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:68rem;background:${LIGHT.paper};color:${LIGHT.ink};
font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}h2{font-size:1.2rem;margin:2.5rem 0 .5rem}
h1,h2,td,dd{overflow-wrap:anywhere}
p{margin:.4rem 0;max-width:46rem}.soft,dt,th{color:${LIGHT.soft}}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.25rem;margin:1rem 0}dd{margin:0}
table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.25rem 1.25rem .25rem 0;text-align:left;border-bottom:1px solid ${LIGHT.grid};font-weight:400}
th{font-size:.85rem}.number{text-align:right}
.plots{display:flex;flex-wrap:wrap;gap:1.25rem}.plots svg{max-width:100%;height:auto}
@media (prefers-color-scheme:dark){body{background:${DARK.paper};color:${DARK.ink}}
.soft,dt,th{color:${DARK.soft}}th,td{border-color:${DARK.grid}}}
@media print{.plots svg{break-inside:avoid}}`;

/** A page of sections, which are markup. */
export function page(title: string, sections: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`;
}

/** Names and values, one below the other. */
export function definitions(rows: readonly (readonly [name: string, value: string])[]): string {
  return `<dl>\n${rows.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('\n')}\n</dl>`;
}

export interface TableColumn {
  readonly title: string;
  readonly isNumber?: boolean;
}

export function htmlTable(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): string {
  const cell = (tag: 'th' | 'td', content: string, i: number): string => {
    const scope = tag === 'th' ? ' scope="col"' : '';
    return `<${tag}${scope}${columns[i]?.isNumber ? ' class="number"' : ''}>${escaped(content)}</${tag}>`;
  };
  const line = (tag: 'th' | 'td', cells: readonly string[]): string =>
    `<tr>${cells.map((content, i) => cell(tag, content, i)).join('')}</tr>`;
  return `<table>\n<thead>${line(
    'th',
    columns.map(({ title }) => title),
  )}</thead>\n<tbody>\n${rows.map((row) => line('td', row)).join('\n')}\n</tbody>\n</table>`;
}
