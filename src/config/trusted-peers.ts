/** Whose identity headers are believed while `auth.enabled` is false. */
import type { Settings } from './schema/schema.ts';

/** Networks (CIDR). Empty: every peer is believed, if it sends the proxy secret where one is configured. */
export const trustedPeersOf = ({ auth, proxy }: Pick<Settings, 'auth' | 'proxy'>): readonly string[] =>
  proxy.trusted_peers.length > 0 ? proxy.trusted_peers : auth.trusted_proxies;
