// What an imported table must be: of a space that auspex knows, with architectures of that space, and with labels.
import { existsSync } from 'node:fs';
import { LAYOUTS } from '../../datasets/importers/layouts.js';
import type { SkippedRow, TableRules } from '../../datasets/rules.js';
import { ONNX } from '../../networks/index.js';
import { SPACES, spaceNamed } from '../../spaces/index.js';
import { AuspexError } from '../../util/errors.js';
import { printableStart } from '../../util/printable.js';

/** Spaces of published tables whose architectures auspex cannot build. */
const ONLY_TABLES = new Set(LAYOUTS.map(({ space }) => space));

/** @param skip takes wrong rows; without it they are errors */
export function importRules(skip?: (row: SkippedRow) => void): TableRules {
  return { needsLabels: true, space: architectureCheck, ...(skip ? { skip } : {}) };
}

/**
 * What checks the architectures of a space; undefined where nobody knows what they are like.
 *
 * Codes: SPACE_UNKNOWN; the check throws ARCH_TEXT.
 */
export function architectureCheck(name: string): ((arch: string) => void) | undefined {
  if (name === ONNX) return checkPath;
  if (!SPACES.some((space) => space.name === name) && ONLY_TABLES.has(name)) return undefined;
  const space = spaceNamed(name);
  return (arch) => {
    try {
      space.parse(arch);
    } catch (error) {
      const others = spacesOf(arch);
      if (!(error instanceof AuspexError) || others.length === 0) throw error;
      throw new AuspexError(error.code, error.message, {
        hint: `it is an architecture of ${others.join(', ')}: give --space ${others[0]}`,
      });
    }
  };
}

/** A path may be of a file that is elsewhere, but not the text of an architecture. */
function checkPath(path: string): void {
  if (existsSync(path)) return;
  const [space] = spacesOf(path);
  if (space === undefined) return;
  throw new AuspexError('ARCH_TEXT', `'${printableStart(path, 80)}' is not the path of an ONNX file`, {
    hint: `it is an architecture of ${space}: give --space ${space}`,
  });
}

/** Spaces that have an architecture of this text. */
function spacesOf(arch: string): string[] {
  return SPACES.filter((space) => {
    try {
      space.parse(arch);
      return true;
    } catch {
      return false;
    }
  }).map(({ name }) => name);
}
