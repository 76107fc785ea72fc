/** Keys of version 0.2 that are gone, and what to do instead: a configuration that still has one is refused (SPEC 1). */
import type { Finding, KeyPath } from './problems/problems.ts';

/** A section stands for all of its keys. */
// biome-ignore format: a table
const REMOVED: Readonly<Record<string, string>> = {
  canary: '"postern policy diff" names operations of the NVR that the route table does not know',
  'nvr.identity_jwt': 'no NVR verified it; nvr.auth_secret tells an NVR that a request came through Postern',
  'server.console_url':
    'for a console that the pages of the NVR cannot reach, run a second Postern without nvr.url on the same store, at another host name: SECURITY.md',
  'auth.curtain_groups': 'draw the cameras by a pattern, such as "inside_*", or list them in PUT /api/curtain',
  'auth.curtain_reauthenticate': 'opening the curtain asks no question of its own any more',
  'server.timeout_headers': 'the head of a request may take 15 seconds',
  'server.timeout_login_body': 'the body of a login may take 10 seconds',
  'auth.cookie_same_site': 'it follows from ui.frame_ancestors: name there the site that shows the pages in a frame',
  'nvr.user_header': 'the NVR gets remote-user',
  'nvr.role_header': 'the NVR gets remote-role, and with nvr.auth_secret remote-groups as well',
  'nvr.warn_open_ports': 'the start always looks; publish no port of the NVR where other machines are',
  'auth.guest_keep': 'the account of a guest is deleted 30 days after its end',
  'nvr.timeout_connect': 'connecting to the NVR may take 5 seconds',
  'proxy.jwt.grace': 'keys that cannot be read any more are used for an hour',
  'events.max_limit': 'a response holds at most 10,000 events',
  'ledger.enabled': 'ledger.retention: 0 turns the ledger off, and any other length turns it on',
  'links.enabled': 'links.max_lifetime: 0 turns links off, and any other length turns them on',
  'logger.audit_file': 'audit lines are log lines (service.audit), and fail2ban reads the journal or the container log: deploy/fail2ban',
};

/** Takes them out of the tree; gives a finding for each that was there. */
export function takeRemovedKeys(tree: unknown): readonly Finding[] {
  return Object.entries(REMOVED).flatMap(([key, instead]) => {
    const path = key.split('.');
    return takeOut(tree, path) ? [{ path, message: `was removed: ${instead}; remove the key` }] : [];
  });
}

export function takeOut(tree: unknown, path: KeyPath): boolean {
  const last = path.at(-1);
  const node = path.slice(0, -1).reduce<unknown>((above, step) => Object(above)[step], tree);
  if (last === undefined || typeof node !== 'object' || node === null || !Object.hasOwn(node, last)) return false;
  delete (node as Record<PropertyKey, unknown>)[last];
  return true;
}
