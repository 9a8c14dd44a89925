// The page as a folder of static files, for any web server.
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AuspexError } from '../../util/errors.js';
import { BUNDLED_FOLDER, PAGE_FOLDER } from '../page-folder.js';

/** @throws AuspexError OUTPUT_EXISTS, FILE_UNWRITABLE */
export function exportPage(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new AuspexError('OUTPUT_EXISTS', 'the folder is not empty', {
      where: { file: folder },
      hint: 'give a new folder',
    });
  }
  try {
    mkdirSync(folder, { recursive: true });
    cpSync(PAGE_FOLDER, folder, { recursive: true });
    cpSync(BUNDLED_FOLDER, join(folder, 'bundled'), { recursive: true });
  } catch (cause) {
    throw new AuspexError('FILE_UNWRITABLE', 'the page cannot be written there', {
      where: { file: folder },
      kind: 'failure',
      cause,
    });
  }
}
