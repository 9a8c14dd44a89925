// What is opened without being asked: files of `auspex view`, `?model=` and `?network=` of the address.
import { app } from './app.svelte.js';
import { keepLink, restoreLink } from './link.js';
import { served } from './served.svelte.js';

export async function openAtStart(): Promise<void> {
  requestIdleCallback(() => app.reader.warm());
  const asked = new URL(location.href).searchParams;
  await served.look();
  const models = asked.getAll('model').filter(isOwn);
  if (models.length > 0) {
    const files = models.map((url) => ({
      kind: 'url' as const,
      name: url.split('/').at(-1)!,
      url: new URL(url, document.baseURI).href,
    }));
    await app.open({ kind: 'files', files });
  }
  for (const text of asked.getAll('network')) await app.open({ kind: 'network', text });
  await served.openAll();
  restoreLink();
  keepLink();
  if ('serviceWorker' in navigator && import.meta.env.PROD)
    await navigator.serviceWorker.register('./offline.js').catch(() => undefined);
}

/** Only files of the page's own host. */
function isOwn(url: string): boolean {
  return URL.canParse(url, document.baseURI) && new URL(url, document.baseURI).origin === location.origin;
}
