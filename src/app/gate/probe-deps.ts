/** Builds what doctor's probes need from the settings: trusted proxies and identity headers (SPEC 15). */
import type { Settings } from '../../config/schema/schema.ts';
import type { Build } from '../../doctor/observations.ts';
import type { ProbeRouteDeps } from '../../doctor/probe-routes.ts';
import type { Clock } from '../../domain/clock.ts';
import { networks } from '../resources/trusted-networks.ts';

export function probeDeps(settings: Settings, clock: Clock, build: Build): ProbeRouteDeps {
  const trusted = networks(settings.auth.trusted_proxies);
  return {
    isTrustedPeer: trusted.includes,
    identityHeaders: identityHeadersOf(settings),
    now: () => clock.now() / 1000,
    build,
    mostUpload: () => settings.nvr.max_upload,
  };
}

/** None with accounts of its own: then no header says who calls. */
export function identityHeadersOf({ auth, proxy }: Settings): readonly string[] {
  if (auth.enabled) return [];
  const { user, role } = proxy.header_map;
  return [...new Set([user, role].filter((name) => name !== undefined))];
}
