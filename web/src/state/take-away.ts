// What can be taken away: pictures, tables, pages. Files are made in the page and never leave it otherwise.

export function download(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The page's colours as they are now, by the names of their variables. */
export function coloursNow(): Record<string, string> {
  const probe = document.body.appendChild(document.createElement('span'));
  const names = [
    'background',
    'surface',
    'raised',
    'text',
    'muted',
    'border',
    'accent',
    'soft',
    'danger',
    'good',
  ];
  const found = names.map((name): [string, string] => {
    probe.style.color = `var(--${name})`;
    return [`--${name}`, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(found);
}

/** Markup without the page's variables. */
export function withColours(markup: string): string {
  const colours = coloursNow();
  return markup.replace(/var\((--[\w-]+)\)/g, (text, name: string) => colours[name] ?? text);
}

/** A file's name without what file systems do not take. */
export function fileName(...parts: readonly string[]): string {
  return parts
    .join('-')
    .replace(/[^\w.-]+/g, '_')
    .slice(0, 100);
}

export interface Column<Row> {
  readonly name: string;
  readonly value: (row: Row) => string | number | null | undefined;
}

export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cell = (value: string | number | null | undefined): string => {
    const text = value === null || value === undefined || Number.isNaN(value) ? '' : String(value);
    // A text that a spreadsheet would run is only a text.
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [
    columns.map(({ name }) => cell(name)),
    ...rows.map((row) => columns.map(({ value }) => cell(value(row)))),
  ];
  return `${lines.map((line) => line.join(',')).join('\n')}\n`;
}

export function jsonOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map(({ name, value }) => [name, value(row) ?? null])),
  );
  return `${JSON.stringify(objects, null, 1)}\n`;
}

/** Pictures larger than this are made smaller. */
const MOST_PIXELS = 8192;

export async function pngOf(svg: string, width: number, height: number, scale = 2): Promise<Blob> {
  const factor = Math.min(scale, MOST_PIXELS / width, MOST_PIXELS / height);
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    await new Promise<void>((done, failed) => {
      image.onload = () => done();
      image.onerror = () => failed(new Error('the picture cannot be drawn'));
      image.src = url;
    });
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(width * factor);
    canvas.height = Math.ceil(height * factor);
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((done) => canvas.toBlob((blob) => done(blob!), 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}
