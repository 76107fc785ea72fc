/** Sends a built file, in the encoding that the client takes best; a browser asks for it once (SPEC 8). */
import type { RouteContext } from '../routes/own-route.ts';
import type { Asset } from './built-pages.ts';
import type { PageHeaders } from './content-security-policy.ts';

/** The name of an asset changes with its content, so a browser may cache it forever. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

export function sendAsset(ctx: RouteContext, asset: Asset, headers: PageHeaders): void {
  const encoding = bestEncoding(ctx, asset);
  ctx.set({ ...headers, 'Cache-Control': IMMUTABLE, Vary: 'Accept-Encoding' });
  ctx.type = asset.type;
  ctx.etag = `${asset.etag}-${encoding}`;
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = asset.encodings.get(encoding)?.();
}

/** The smallest encoding that the client accepts: browsers list `br` last, with the same weight as the others. */
const bestEncoding = (ctx: RouteContext, asset: Asset): string =>
  [...asset.encodings.keys()].find((encoding) => ctx.acceptsEncodings(encoding)) ?? 'identity';
