// Sections of a text with an empty line between them, nothing wider than the terminal, nothing that controls it.
import { printable } from '../../util/printable.js';
import { fit } from './format.js';

export function joined(sections: readonly (readonly string[])[], width: number): string {
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => printable(fit(line, width))).join('\n'))
    .join('\n\n');
}
