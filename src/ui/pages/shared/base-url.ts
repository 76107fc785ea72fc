/** The base URL of Postern, with its prefix (such as `/nvr/`), taken from the address of this script, and requests below it. */

/** The path from `<base>/postern/assets/` to `<base>/`. */
const ROOT_FROM_ASSETS = '../../';

/** Ends in `/`. */
export const baseUrl: URL = new URL(ROOT_FROM_ASSETS, import.meta.url);

export const basePath: string = baseUrl.pathname;

/** Sends JSON from the small pages, which load no texts; the console's requests are in `api.ts`. `path` is relative to the base path. */
export const postJson = (path: string, body: object): Promise<Response> =>
  fetch(new URL(path, baseUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-CSRF-TOKEN': '1' },
    body: JSON.stringify(body),
  });
