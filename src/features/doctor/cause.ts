/** A row of doctor's tables: what it is called, how it is recognised, and what to change (SPEC 15). Pure. */
import type { ProbeResponse } from './observations.ts';

export const PROXY_KINDS = ['nginx', 'npm', 'caddy', 'traefik', 'haproxy', 'apache', 'cloudflare'] as const;
/** `npm` is Nginx Proxy Manager. */
export type ProxyKind = (typeof PROXY_KINDS)[number];

/** `error`: something does not work, or stands open. `warning`: it works now. `advice`: nothing is wrong, and it could be better. */
export type Level = 'error' | 'warning' | 'advice';

/** What was seen, in a sentence. */
export interface Sign {
  readonly level: Level;
  readonly seen: string;
}

export interface Cause<Seen> {
  /** Stable, for programs. */
  readonly name: string;
  /** None when this is not the cause. */
  readonly signs: (seen: Seen) => readonly (Sign | undefined)[];
  /** What to do, whatever the proxy. */
  readonly advice: string;
  /** The lines to change, for the proxies where there are some. Nginx Proxy Manager takes those of nginx under "Advanced". */
  readonly lines?: Readonly<Partial<Record<ProxyKind, string>>>;
}

export interface DoctorFinding extends Sign {
  readonly name: string;
  readonly advice: string;
  /** The lines to change at the proxy that was found; empty when there are none, or it is not known. */
  readonly lines: readonly string[];
}

/** Every sign of each cause, in the order of the table. */
export const judge = <Seen>(causes: readonly Cause<Seen>[], seen: Seen, proxy?: ProxyKind): readonly DoctorFinding[] =>
  causes.flatMap((cause) =>
    cause.signs(seen).flatMap((sign) => {
      const { name, advice } = cause;
      return sign ? [{ name, ...sign, advice, lines: linesFor(cause, proxy) }] : [];
    }),
  );

export const linesFor = ({ lines = {} }: Pick<Cause<never>, 'lines'>, proxy?: ProxyKind): readonly string[] =>
  (proxy && (lines[proxy] ?? (proxy === 'npm' ? lines.nginx : undefined)))?.split('\n') ?? [];

const signOf =
  (level: Level) =>
  (holds: boolean, seen: string): Sign | undefined =>
    holds ? { level, seen } : undefined;
export const error = signOf('error');
export const warning = signOf('warning');
export const advice = signOf('advice');

/** A header of the answer, its lines joined. */
export const headerOf = (response: ProbeResponse, name: string): string | undefined =>
  response.kind === 'answered' ? response.headers[name]?.join(', ') : undefined;

/** 0 without an answer. */
export const statusOf = (response: ProbeResponse): number => (response.kind === 'answered' ? response.status : 0);

/** Whether the answer is a refusal of Postern's, or one that its probes give. */
export const isPosterns = (response: ProbeResponse): boolean =>
  response.kind === 'answered' && /^\s*\{"(?:success":false|service":"postern")/.test(response.body);
