/** The keys of the store: which engine keeps accounts, tokens and events, and how its changes are heard. */
import { z } from 'zod';
import { postgresAddress } from '../../domain/addresses.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { parsed } from '../../routes/shapes.ts';
import { higher, key, never } from './keys.ts';
import { wholeSeconds } from './value-types.ts';

type StoreUrl =
  /** One file on this machine. */
  | { readonly engine: 'sqlite'; readonly file: string }
  /** A server that several replicas share. The address may hold a password. */
  | { readonly engine: 'postgres'; readonly url: string };

const SQLITE = 'sqlite:';
const DEFAULT_GRACE = 60;

// biome-ignore format: a table
export const storeSection = z
  .strictObject({
    url: key(parsed(parseStoreUrl).prefault('sqlite:postern.db'), { widens: never, isSecret: true, fromStart: true },
      'Where accounts, tokens and events are kept: sqlite:<file>, relative to the directory of this file, or postgres://<user>:<password>@<host>/<database> for several replicas. TLS: sslmode=verify-full&sslrootcert=<CA file>.'),
    listen_url: key(parsed(parseListenUrl).optional(), { widens: never, isSecret: true, fromStart: true, example: 'postgres://postern@db.internal/postern' },
      'PostgreSQL only: another address of the same database for LISTEN, needed where store.url leads through a transaction pooler such as PgBouncer.'),
    grace: key(wholeSeconds().prefault(DEFAULT_GRACE), { widens: higher, fromStart: true },
      'How long known callers keep their access while the store cannot be reached, in seconds; 0: not at all. New logins and changes are refused with 503 at once.'),
  })
  .prefault({})
  .describe('The store.');

/** The address in the form that `openStore` takes. */
export const storeAddress = (url: StoreUrl): string => (url.engine === 'sqlite' ? `${SQLITE}${url.file}` : url.url);

const isPostgres = (url: string): boolean => /^postgres(?:ql)?:/i.test(url);

/** What is wrong is said without the value, which may hold a password. */
function parseStoreUrl(url: string): Result<StoreUrl, string> {
  if (isPostgres(url)) return parsePostgresUrl(url);
  const file = url.startsWith(SQLITE) ? url.slice(SQLITE.length) : '';
  if (file.trim() === '' || file.startsWith('//') || file.includes('\0'))
    return err('is not the address of a store: write sqlite:<file> or postgres://<user>:<password>@<host>/<database>');
  return ok({ engine: 'sqlite', file });
}

function parseListenUrl(url: string): Result<string, string> {
  if (!isPostgres(url))
    return err('is not the address of a PostgreSQL server: write postgres://<user>:<password>@<host>/<database>');
  const parsedUrl = parsePostgresUrl(url);
  return parsedUrl.ok ? ok(url) : parsedUrl;
}

function parsePostgresUrl(url: string): Result<StoreUrl, string> {
  const address = postgresAddress(url);
  return address.ok ? ok({ engine: 'postgres', url }) : address;
}
