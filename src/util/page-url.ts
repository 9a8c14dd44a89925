// URLs that are given relative to the page. Outside of pages, they must be absolute.

function pageUrl(url: string | URL): URL {
  return new URL(url, (globalThis as { location?: { href: string } }).location?.href);
}

/** Of a folder, with the slash at its end that files in it are relative to. */
export function folderUrl(url: string | URL): URL {
  return pageUrl(String(url).replace(/\/?$/, '/'));
}
