// Colours and letters of plots, for light and dark. Plain colours in classes, no variables: programs other than browsers
// draw these files, too.

interface Palette {
  readonly paper: string;
  readonly ink: string;
  readonly soft: string;
  readonly frame: string;
  readonly grid: string;
  /** Of series, told apart also by people who see few colours (after Okabe & Ito 2008). */
  readonly series: readonly string[];
}

export const LIGHT: Palette = {
  paper: '#ffffff',
  ink: '#1d2530',
  soft: '#5a6572',
  frame: '#b4bcc6',
  grid: '#eceff2',
  series: ['#2b6cb0', '#d97706', '#178a63', '#8b5fb8', '#c2413b', '#6b7280'],
};

export const DARK: Palette = {
  paper: '#14181e',
  ink: '#e2e7ed',
  soft: '#98a3b0',
  frame: '#4a5563',
  grid: '#252c35',
  series: ['#6aa9ec', '#f0a347', '#4cc79a', '#bb95e2', '#ee7f78', '#a3acb8'],
};

/** How many series have a colour of their own. */
export const SERIES = LIGHT.series.length;

/** Of the line of a series: when all colours are taken they come again, dashed, then dotted. */
export function lineClass(i: number): string {
  const dashes = ['', ' dashed', ' dotted'][Math.floor(i / SERIES) % 3];
  return `s${i % SERIES} line${dashes}`;
}

export const PLOT_STYLE = `${coloured(LIGHT)}
.auspex-plot text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif}
.auspex-plot .title{font-size:14px;font-weight:600}
.auspex-plot .line{fill:none;stroke-width:1.6;stroke-linejoin:round}
.auspex-plot .dashed{stroke-dasharray:6 3}.auspex-plot .dotted{stroke-dasharray:2 3}
.auspex-plot .frame,.auspex-plot .grid,.auspex-plot .guide{fill:none;stroke-width:1}
.auspex-plot .guide{stroke-dasharray:5 4}
.auspex-plot path.edge{fill:none}.auspex-plot .edge{stroke-width:1;stroke-opacity:.7}
.auspex-plot .band{fill-opacity:.16}
@media (prefers-color-scheme:dark){
${coloured(DARK)}
}`;

function coloured({ paper, ink, soft, frame, grid, series }: Palette): string {
  return [
    `.auspex-plot .paper{fill:${paper}}`,
    `.auspex-plot text{fill:${ink}}.auspex-plot text.soft{fill:${soft}}`,
    `.auspex-plot .frame{stroke:${frame}}.auspex-plot .grid{stroke:${grid}}.auspex-plot .guide{stroke:${soft}}`,
    ...series.map((colour, i) => `.auspex-plot .f${i}{fill:${colour}}.auspex-plot .s${i}{stroke:${colour}}`),
  ].join('\n');
}
