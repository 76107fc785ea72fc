/** The address of a Redis or Valkey: one server, a Sentinel's service or a cluster (`limits.redis_url`). It may hold a password. */
import { err, ok, type Result } from '../result.ts';

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

interface Common {
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

export type RedisAddress =
  | (Common & { readonly kind: 'server'; readonly node: RedisNode; readonly database: number })
  | (Common & {
      readonly kind: 'sentinel';
      /** The Sentinels; user, password and database are those of the servers that they name. */
      readonly nodes: readonly RedisNode[];
      readonly service: string;
      readonly database: number;
    })
  | (Common & { readonly kind: 'cluster'; readonly nodes: readonly RedisNode[] });

const FORMS =
  'write redis://<user>:<password>@<host>:<port>/<database>, rediss:// for TLS, redis+sentinel://<host>,<host>/<service name>/<database>, or redis+cluster://<host>,<host>';
const URL_FORM =
  /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<login>[^@/?#]*)@)?(?<hosts>[^@/?#]+)(?:\/(?<path>[^?#]*))?$/;
const HOST = /^(?<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(?<port>\d{1,5}))?$/;
const DATABASE = /^\d{0,4}$/;
const SERVICE = /^[A-Za-z0-9._-]+$/;

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;
const HIGHEST_PORT = 65_535;

/** What is wrong is said without the address, which may hold a password. */
export function parseRedisUrl(text: string): Result<RedisAddress, string> {
  const parts = URL_FORM.exec(text.trim())?.groups;
  if (!parts) return err(`is not the address of a Redis or Valkey: ${FORMS}`);
  const { kind = 'server', login = '', hosts = '', path = '' } = parts;
  const otherwise = kind === 'sentinel' ? SENTINEL_PORT : REDIS_PORT;
  const nodes = hosts.split(',').map((written) => nodeOf(written, otherwise));
  const [node, ...others] = nodes.filter((read) => read !== undefined);
  if (!node || others.length + 1 < nodes.length) return err(`names a host or port that cannot be: ${FORMS}`);
  const credentials = credentialsOf(login);
  if (!credentials) return err('has a user or password that is not percent-encoded: write %25 for a percent sign');
  const common = { tls: parts['tls'] === 's', ...credentials };
  switch (kind) {
    case 'sentinel': {
      const [service = '', database = ''] = path.split('/');
      if (!SERVICE.test(service) || !DATABASE.test(database))
        return err(`names no service of the Sentinels: write redis+sentinel://<host>,<host>/<service name>/<database>`);
      return ok({ kind, ...common, nodes: [node, ...others], service, database: Number(database) });
    }
    case 'cluster':
      return path === ''
        ? ok({ kind, ...common, nodes: [node, ...others] })
        : err('names a database, and a cluster has none: remove it');
    default:
      if (others.length > 0) return err(`names several hosts: ${FORMS}`);
      if (!DATABASE.test(path)) return err('ends in no database number: write redis://<host>:<port>/<database>');
      return ok({ kind: 'server', ...common, node, database: Number(path) });
  }
}

function nodeOf(written: string, otherwise: number): RedisNode | undefined {
  const groups = HOST.exec(written)?.groups;
  const port = Number(groups?.['port'] ?? otherwise);
  if (!groups || port < 1 || port > HIGHEST_PORT) return undefined;
  return { host: (groups['host'] ?? '').replace(/^\[|\]$/g, ''), port };
}

function credentialsOf(login: string): { username: string | undefined; password: string | undefined } | undefined {
  const [, user = '', password] = /^([^:]*)(?::(.*))?$/.exec(login) ?? [];
  try {
    return { username: decodeURIComponent(user) || undefined, password: password && decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}
