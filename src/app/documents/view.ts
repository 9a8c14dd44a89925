// The JSON document of `auspex view`, as docs/json/view.md describes it.
import { z } from 'zod';
import type { ServedFile } from '../view/given-files.js';

export const viewDocument = z.object({
  schema: z.literal('auspex.view/1'),
  address: z.string(),
  files: z.array(z.object({ name: z.string(), path: z.string() })),
});
export type ViewDocument = z.infer<typeof viewDocument>;

export function viewDocumentOf(address: string, files: readonly ServedFile[]): ViewDocument {
  return { schema: 'auspex.view/1', address, files: files.map(({ name, path }) => ({ name, path })) };
}
