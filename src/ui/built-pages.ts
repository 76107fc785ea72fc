/** The built pages, read once at start: only these files can be served (SPEC 8). */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { LANGUAGES } from '../locales/languages.ts';

export interface Asset {
  readonly type: string;
  readonly etag: string;
  /** The bytes by Content-Encoding, made when first asked for; `identity` is always there. */
  readonly encodings: ReadonlyMap<string, () => Buffer>;
}

export type BuiltPages =
  | {
      readonly kind: 'built';
      readonly loginPage: string;
      readonly consolePage: string;
      /** The assets by file name below `/postern/assets/`. */
      readonly assets: ReadonlyMap<string, Asset>;
      /** File name of the stylesheet of the login page, which the pages that the server makes link too. */
      readonly stylesheet: string | undefined;
      /** File names of the texts of the console by language. */
      readonly languages: ReadonlyMap<string, string>;
      /** File name of the script of the page behind an invitation. */
      readonly invitationScript: string | undefined;
      /** The page of a screen has both of its own. */
      readonly screenScript: string | undefined;
      readonly screenStyle: string | undefined;
    }
  | { readonly kind: 'not-built' };

// biome-ignore format: a table
const TYPES: Readonly<Record<string, { readonly type: string; readonly isText: boolean }>> = {
  '.js':    { type: 'text/javascript; charset=utf-8', isText: true  },
  '.css':   { type: 'text/css; charset=utf-8',        isText: true  },
  '.svg':   { type: 'image/svg+xml',                  isText: true  },
  '.png':   { type: 'image/png',                      isText: false },
  '.woff2': { type: 'font/woff2',                     isText: false },
};

/** A file of a type not in the table is left out, and so is not served. */
export function readBuiltPages(distDirectory: string): BuiltPages {
  const page = (name: string): string => join(distDirectory, name);
  if (!existsSync(page('login.html')) || !existsSync(page('console.html'))) return { kind: 'not-built' };
  const assetsDirectory = join(distDirectory, 'assets');
  const names = readdirSync(assetsDirectory).filter((name) => extname(name) in TYPES);
  return {
    kind: 'built',
    loginPage: readFileSync(page('login.html'), 'utf8'),
    consolePage: readFileSync(page('console.html'), 'utf8'),
    assets: new Map(names.map((name) => [name, readAsset(assetsDirectory, name)])),
    stylesheet: names.find((name) => /^login-.*\.css$/.test(name)),
    languages: new Map(
      LANGUAGES.flatMap(([tag]) => {
        const name = names.find((one) => one.startsWith(`${tag}-`) && one.endsWith('.js'));
        return name === undefined ? [] : [[tag, name] as const];
      }),
    ),
    invitationScript: names.find((name) => /^invitation-.*\.js$/.test(name)),
    screenScript: names.find((name) => /^screen-.*\.js$/.test(name)),
    screenStyle: names.find((name) => /^screen-.*\.css$/.test(name)),
  };
}

function readAsset(directory: string, name: string): Asset {
  const bytes = readFileSync(join(directory, name));
  const row = TYPES[extname(name)];
  return {
    type: row?.type ?? 'application/octet-stream',
    etag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
    encodings: new Map([...(row?.isText ? compressed(bytes) : []), ['identity', () => bytes]]),
  };
}

/** The quality of Brotli: with the highest the first request would wait a second, for one percent fewer bytes. */
const BROTLI_QUALITY = 9;

const compressed = (bytes: Buffer): [string, () => Buffer][] => [
  ['br', once(() => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }))],
  ['gzip', once(() => gzipSync(bytes))],
];

function once(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
