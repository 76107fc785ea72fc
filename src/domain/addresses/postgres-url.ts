/** The address of a PostgreSQL store: one host, or several of which one takes writes (SPEC 10). */
import { err, ok, type Result } from '../result.ts';

/**
 * An address of PostgreSQL: up to the last `@` it is the user with the password; the hosts are separated by commas, each with
 * a port or not.
 */
const ADDRESS = /^(?<user>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#@]*)(?<rest>[/?].*)?$/is;
const SHAPE = 'write postgres://<user>:<password>@<host>/<database>';

/**
 * libpq's names. `disable` uses no TLS, `no-verify` believes any certificate; all others check the certificate and the
 * name in it, also those by which libpq would check less.
 */
const SSL_MODES: readonly string[] = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];
const CHECKED_MODE = /(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/** An address for each host, in their order. Errs with what is wrong, without the address, which may hold a password. */
export function postgresHosts(url: string): Result<readonly string[], string> {
  const { user = '', hosts = '', rest = '' } = ADDRESS.exec(url)?.groups ?? {};
  const urls = hosts.split(',').map((host) => `${user}${host}${rest.replace(CHECKED_MODE, 'verify-full')}`);
  if (user === '' || !urls.every((one) => URL.canParse(one)))
    return err(`is not a PostgreSQL address: ${SHAPE}, with special characters of the password percent-encoded`);
  const { searchParams, pathname } = new URL(urls[0] ?? '');
  if (urls.some((one) => new URL(one).hostname === '') && (urls.length > 1 || !searchParams.has('host')))
    return err(`names no host: ${SHAPE}`);
  if (pathname.length < 2) return err(`names no database: ${SHAPE}`);
  const fault = parameterFault(searchParams, urls.length);
  return fault === undefined ? ok(urls) : err(fault);
}

function parameterFault(parameters: URLSearchParams, hosts: number): string | undefined {
  const wanted = parameters.get('target_session_attrs');
  if (hosts > 1 && wanted !== 'read-write')
    return 'names several hosts: add ?target_session_attrs=read-write, so that the one that takes writes is used';
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'any')
    return 'target_session_attrs must be read-write: the store is written';
  const mode = parameters.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode))
    return `sslmode must be one of ${SSL_MODES.join(', ')}: verify-full with sslrootcert=<CA file> checks the server`;
  return undefined;
}
