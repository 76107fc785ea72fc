/** A row of doctor's table: what it is called, how it is recognised, and what to change (SPEC 15). */
import type { Observations } from './observations.ts';

export const PROXY_KINDS = ['nginx', 'npm', 'caddy', 'traefik', 'haproxy', 'apache', 'cloudflare'] as const;
/** `npm` is Nginx Proxy Manager. */
export type ProxyKind = (typeof PROXY_KINDS)[number];

export type Lines = Partial<Readonly<Record<ProxyKind, readonly string[]>>>;

/** `error`: something does not work, or stands open. `warning`: it works now. `advice`: nothing is wrong, and it could be better. */
export type Level = 'error' | 'warning' | 'advice';

export interface Cause {
  /** Stable, for programs. */
  readonly name: string;
  readonly level: Level;
  /** One sentence on what was seen; undefined when this is not the cause. */
  readonly sign: (seen: Observations) => string | undefined;
  /** What to do, whatever the proxy. */
  readonly advice: string;
  /** The lines to change, for the proxies where there is one. */
  readonly lines: Lines;
  /** Nothing further along the way can be told while this holds. */
  readonly isLast?: boolean;
}

/** The sentence when the condition holds; for a row of the table of causes. */
export const when = (holds: boolean, sentence: string): string | undefined => (holds ? sentence : undefined);

/** A header of the answer, its lines joined. */
export const headerOf = (response: Observations['reach'] | undefined, name: string): string | undefined =>
  response?.kind === 'answered' ? response.headers[name]?.join(', ') : undefined;

export const statusOf = (response: Observations['reach'] | undefined): number | undefined =>
  response?.kind === 'answered' ? response.status : undefined;

/** Whether the answer is a refusal of Postern's, or one that its probes give. */
export function isPosterns(response: Observations['reach'] | undefined): boolean {
  if (response?.kind !== 'answered') return false;
  return /^\s*\{"(?:success":false|service":"postern")/.test(response.body);
}

/**
 * Another program speaks HTTP in between: the connection that Postern has is not the one that doctor made. Where TLS goes
 * through unopened, to the certificate of Postern, it is only a relay, such as Docker's for a published port.
 */
export const isProxied = ({ seen, reach, tls }: Observations): boolean =>
  seen !== undefined &&
  reach.kind === 'answered' &&
  seen.peerPort !== reach.localPort &&
  (seen.certificate === undefined || seen.certificate !== tls?.certificate);
