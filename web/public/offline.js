// Makes the page work offline: serves what was loaded before if the host does not answer, or if the file cannot have changed.
// Files that users open are never stored.
const KEPT = 'auspex-page';
const FILES = ['./'].concat(/* FILES */ []);

addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(KEPT)
      .then((kept) => kept.addAll(FILES))
      .then(() => skipWaiting()),
  );
});

addEventListener('activate', (event) => {
  event.waitUntil(clients.claim());
});

/** Files of the page: not those that a server of this machine was given. */
function isOfPage({ method, url, headers }) {
  const { origin, pathname, search } = new URL(url);
  if (method !== 'GET' || origin !== location.origin || headers.has('range') || search !== '') return false;
  const folder = new URL('./', location.href).pathname;
  const name = pathname.slice(folder.length);
  return pathname.startsWith(folder) && !/^(files\/|files\.json$|open$)/.test(name) && !/\.jsonl$/.test(name);
}

/** Names of built files have a digest of what is in them, so that what was kept is never old. */
const isNamedByContent = ({ url }) => /\/assets\/[^/]+-[\w-]{8}\.\w+$/.test(new URL(url).pathname);

async function answerTo(event) {
  const { request } = event;
  const kept = isNamedByContent(request) ? await caches.match(request) : undefined;
  if (kept) return kept;
  try {
    const response = await fetch(request);
    if (response.ok) {
      // The page does not wait until it is kept.
      const copy = response.clone();
      event.waitUntil(caches.open(KEPT).then((cache) => cache.put(request, copy)));
    }
    return response;
  } catch (error) {
    const found = await caches.match(request, { ignoreSearch: true });
    if (found) return found;
    throw error;
  }
}

addEventListener('fetch', (event) => {
  if (isOfPage(event.request)) event.respondWith(answerTo(event));
});
