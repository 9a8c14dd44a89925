// Files that `auspex view` was given, and those that it opens when their path is pasted. A page of a static host has none.
import * as z from 'zod/mini';
import type { Problem, Report } from '../engine/protocol.js';
import type { GivenFile } from '../engine/sources.js';
import { app } from './app.svelte.js';

const listed = z.object({
  files: z.array(z.object({ name: z.string(), url: z.string(), group: z.string() })),
});

/** How often reports of a running search are read again. */
const EVERY_MS = 2000;

class Served {
  /** Whether the page comes from `auspex view`. */
  isThere = $state(false);
  #files: readonly { name: string; url: string; group: string }[] = [];

  async look(): Promise<void> {
    if (document.querySelector('meta[name="auspex-view"]') === null) return;
    // The server may have ended since the page was kept.
    const response = await fetch('./files.json').catch(() => undefined);
    if (!response?.ok) return;
    this.#files = listed.parse(await response.json()).files;
    this.isThere = true;
  }

  /** Files of one group, such as a model and its weights, are opened together. */
  async openAll(): Promise<void> {
    const groups = new Map<string, GivenFile[]>();
    for (const { name, url, group } of this.#files) {
      const list = groups.get(group) ?? [];
      groups.set(group, [...list, { kind: 'url', name, url: new URL(url, document.baseURI).href }]);
    }
    for (const files of groups.values()) await app.open({ kind: 'files', files });
    if (app.reports.some(({ url }) => url !== undefined)) setInterval(() => void this.#readAgain(), EVERY_MS);
  }

  /** @returns what is wrong with the path */
  async openPath(path: string): Promise<Problem | undefined> {
    const response = await fetch('./open', {
      method: 'POST',
      body: JSON.stringify({ path }),
      headers: { 'content-type': 'application/json' },
    });
    const told: unknown = await response.json();
    if (!response.ok) return { at: [], ...(told as { error: Omit<Problem, 'at'> }).error };
    const files = listed
      .parse(told)
      .files.map(
        ({ name, url }): GivenFile => ({ kind: 'url', name, url: new URL(url, document.baseURI).href }),
      );
    await app.open({ kind: 'files', files });
    return undefined;
  }

  async #readAgain(): Promise<void> {
    if (document.hidden) return;
    for (const open of app.reports) {
      if (open.url === undefined) continue;
      const found = await app.reader
        .call('open', { kind: 'files', files: [{ kind: 'url', name: open.name, url: open.url }] }, [])
        .catch(() => []);
      const [first] = found;
      if (first?.kind === 'report' && sizeOf(first.report) !== sizeOf(open.report)) {
        app.reports = app.reports.map((one) =>
          one.key === open.key ? { ...one, report: first.report } : one,
        );
      }
    }
  }
}

function sizeOf(report: Report): number {
  if (report.kind === 'search') return report.trials.arch.length + report.failed;
  return report.kind === 'scores' ? report.networks.length : 0;
}

export const served = new Served();
