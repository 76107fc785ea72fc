/** Keys of former versions that have no effect any more, and what to do instead. A service that still has one starts (SPEC 1). */
import type { Finding, KeyPath } from './problems/problems.ts';

// biome-ignore format: a table
const REMOVED: Readonly<Record<string, string>> = {
  'server.workers': 'one process serves everything; start replicas to use more cores (docs/replicas.md)',
  limits:           'replicas count failed logins together in PostgreSQL (store.url); Redis or Valkey can be turned off',
  shadow:           'run "postern policy try FILE", which says who would gain or lose what, and what of it was really used',
  'nvr.client': 'there is one client',
  'events.query_timeout': 'a query on events may take 10 s',
  'links.default_lifetime': 'a link lasts a day unless it says otherwise',
  'logger.audit_max_size': 'the file is not rotated by the service, but opened again when it was moved: see deploy/logrotate',
  'notify.webhook_timeout': 'the receiver has 10 s',
  'store.listen_url_file': 'write store.listen_url with {SERVICE_LISTEN_URL} or as the variable POSTERN__STORE__LISTEN_URL',
  'ledger.notices': 'nothing compares viewing with the days before any more',
};

/** Takes them out of the tree; gives a finding for each that was there. */
export function takeRemovedKeys(tree: unknown): readonly Finding[] {
  return Object.entries(REMOVED).flatMap(([key, instead]) => {
    const path = key.split('.');
    return takeOut(tree, path) ? [{ path, message: `was removed and has no effect: ${instead}; remove the key` }] : [];
  });
}

function takeOut(tree: unknown, path: KeyPath): boolean {
  const last = path.at(-1);
  const node = path.slice(0, -1).reduce<unknown>((above, step) => Object(above)[step], tree);
  if (last === undefined || typeof node !== 'object' || node === null || !Object.hasOwn(node, last)) return false;
  delete (node as Record<PropertyKey, unknown>)[last];
  return true;
}
