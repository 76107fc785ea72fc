/** Where Postern stands: below a prefix it may be `/nvr/`, and this script knows, for it was loaded from there. */

/** From `<base>/postern/assets/` to `<base>/`. */
const ROOT_FROM_ASSETS = '../../';

/** Ends in `/`. */
export const baseUrl: URL = new URL(ROOT_FROM_ASSETS, import.meta.url);

export const basePath: string = baseUrl.pathname;
