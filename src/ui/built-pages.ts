/** The built pages, listed at start: only these files can be served (SPEC 8), and each is read when it is first asked for. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { RouteContext } from '../routes/own-route.ts';

/** `encodings`: the bytes by Content-Encoding, made when first asked for; `identity` is always there. */
type Asset = { readonly type: string; readonly etag: string; readonly encodings: ReadonlyMap<string, () => Buffer> };

export interface BuiltPages {
  readonly loginPage: string;
  readonly consolePage: string;
  /** The assets by file name below `/postern/assets/`. */
  readonly assets: ReadonlyMap<string, Asset>;
}

// biome-ignore format: a table
const TYPES: Readonly<Record<string, { readonly type: string; readonly isText: boolean }>> = {
  '.js':    { type: 'text/javascript; charset=utf-8', isText: true  },
  '.css':   { type: 'text/css; charset=utf-8',        isText: true  },
  '.svg':   { type: 'image/svg+xml',                  isText: true  },
  '.png':   { type: 'image/png',                      isText: false },
  '.woff2': { type: 'font/woff2',                     isText: false },
};

/** A file of a type not in the table is left out, and so is not served. Undefined while the pages are not built. */
export function readBuiltPages(distDirectory: string): BuiltPages | undefined {
  const page = (name: string): string => join(distDirectory, name);
  if (!existsSync(page('login.html')) || !existsSync(page('console.html'))) return undefined;
  return {
    loginPage: readFileSync(page('login.html'), 'utf8'),
    consolePage: readFileSync(page('console.html'), 'utf8'),
    assets: new Map(readdirSync(page('assets')).flatMap((name) => readAsset(page('assets'), name))),
  };
}

function readAsset(directory: string, name: string): [name: string, asset: Asset][] {
  const row = TYPES[extname(name)];
  if (!row) return [];
  const bytes = once(() => readFileSync(join(directory, name)));
  const encodings = new Map([...(row.isText ? compressed(bytes) : []), ['identity', bytes] as const]);
  return [[name, { type: row.type, etag: name, encodings }]];
}

/** The quality of Brotli: with the highest the first request would wait a second, for one percent fewer bytes. */
const BROTLI_QUALITY = 9;

const compressed = (bytes: () => Buffer): [string, () => Buffer][] => [
  ['br', once(() => brotliCompressSync(bytes(), { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }))],
  ['gzip', once(() => gzipSync(bytes()))],
];

function once(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Where the pages keep their assets, relative to the base path. */
export const ASSETS_PATH = '/postern/assets/';

/** The path, from the root of the host, of a built file such as `login-….css`; undefined while the pages are not built. */
export function assetPath(
  pages: BuiltPages | undefined,
  basePath: string,
  name: string,
  type: 'css' | 'js' | 'png',
): string | undefined {
  const file = [...(pages?.assets.keys() ?? [])].find((one) => one.startsWith(`${name}-`) && one.endsWith(`.${type}`));
  return file && `${basePath}${ASSETS_PATH}${file}`;
}

/** The name of an asset changes with its content, so a browser may cache it forever. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Sends a built file in the encoding that the client takes best; a browser asks for it once. */
export function sendAsset(ctx: RouteContext, asset: Asset, headers: Readonly<Record<string, string>>): void {
  // The smallest that the client accepts: browsers list `br` last, with the same weight as the others.
  const encoding = [...asset.encodings.keys()].find((one) => ctx.acceptsEncodings(one)) ?? 'identity';
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

/** Relative to the base path. */
export const MANIFEST_PATH = '/postern/manifest.webmanifest';

/**
 * The web app manifest: the console can be installed. It is public, and tells nothing of cameras. Addresses in it are relative
 * to its own, so it is the same below every base path.
 */
export function findManifest({ assets }: BuiltPages, name: string): string {
  const icons = [...assets.keys()].flatMap((file) => {
    const size = /^icon-(?<size>\d+)[-.].*png$/.exec(file)?.groups?.['size'];
    const icon = { src: `assets/${file}`, sizes: `${size}x${size}`, type: 'image/png' };
    return size === undefined ? [] : ['any', 'maskable'].map((purpose) => ({ ...icon, purpose }));
  });
  return JSON.stringify({
    name,
    short_name: name,
    start_url: './',
    // The login and the pages of the NVR stand beside the console.
    scope: '../',
    display: 'standalone',
    background_color: '#f4f6f8',
    // The surface of the console's bar.
    theme_color: '#0f766e',
    icons,
  });
}
