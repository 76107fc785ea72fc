/** The address of a PostgreSQL store: one host (SPEC 10). */
import { err, ok, type Result } from '../result.ts';

const SHAPE = 'write postgres://<user>:<password>@<host>/<database>';
const SEVERAL_HOSTS = /^[^/?#]*\/\/(?:[^/?#]*@)?[^/?#@]*,/;

/**
 * libpq's names. `disable` uses no TLS, `no-verify` believes any certificate; all others check the certificate and the
 * name in it, also those by which libpq would check less.
 */
const SSL_MODES: readonly string[] = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];
const CHECKED_MODE = /(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/** The address as `pg` takes it. Errs with what is wrong, without the address, which may hold a password. */
export function postgresAddress(url: string): Result<string, string> {
  if (SEVERAL_HOSTS.test(url))
    return err(
      'names several hosts: give one, the virtual address or pooler that leads to the server that takes writes',
    );
  const parsed = URL.parse(url);
  if (!parsed || !/^postgres(?:ql)?:$/.test(parsed.protocol) || !url.includes('://'))
    return err(`is not a PostgreSQL address: ${SHAPE}, with special characters of the password percent-encoded`);
  const { hostname, pathname, searchParams } = parsed;
  if (hostname === '' && !searchParams.has('host')) return err(`names no host: ${SHAPE}`);
  if (pathname.length < 2) return err(`names no database: ${SHAPE}`);
  const mode = searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode))
    return err(
      `sslmode must be one of ${SSL_MODES.join(', ')}: verify-full with sslrootcert=<CA file> checks the server`,
    );
  return ok(url.replace(CHECKED_MODE, 'verify-full'));
}
