// Keeps the page for when there is no connection: what was loaded once is loaded again from here, but only if the host does
// not answer. Files that users open are never kept.
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

addEventListener('fetch', (event) => {
  if (!isOfPage(event.request)) return;
  event.respondWith(
    fetch(event.request)
      .then(async (response) => {
        if (response.ok) await (await caches.open(KEPT)).put(event.request, response.clone());
        return response;
      })
      .catch(async (error) => {
        const kept = await caches.match(event.request, { ignoreSearch: true });
        if (kept) return kept;
        throw error;
      }),
  );
});
