/** DNS rebinding: which Host names the internal and the telemetry listener accept (SPEC 2, `server.internal_hosts`). */
import { isIP } from 'node:net';

/**
 * Whether these listeners accept this Host: an address, `localhost`, a single label, or a listed name.
 * A public name that resolves to this machine is what DNS rebinding needs.
 */
export function isInternalHost(host: string, listed: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return (
    isIP(name.replace(/^\[|\]$/g, '')) !== 0 || !name.includes('.') || listed.includes(name) || listed.includes(host)
  );
}
