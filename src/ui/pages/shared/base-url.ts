/** The base URL of Postern, with its prefix (such as `/nvr/`), taken from the address of this script. */

/** The path from `<base>/postern/assets/` to `<base>/`. */
const ROOT_FROM_ASSETS = '../../';

/** Ends in `/`. */
export const baseUrl: URL = new URL(ROOT_FROM_ASSETS, import.meta.url);

export const basePath: string = baseUrl.pathname;
