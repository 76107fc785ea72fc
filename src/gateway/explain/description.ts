/** A described request as the facts that the decision is made by (SPEC 1, `explain`). */
import type { Caller } from '../../domain/caller.ts';
import type { RequestFacts } from '../../domain/request.ts';

export interface Description {
  readonly method: string;
  /** A WebSocket upgrade of that path. */
  readonly isUpgrade: boolean;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Address of the TCP peer. */
  readonly peer: string;
  /** The caller, where it is described and not identified by headers. */
  readonly caller?: Caller;
}

export function factsOf({ method, isUpgrade, target, headers, peer }: Description): RequestFacts {
  const host = headers.some(([name]) => name.toLowerCase() === 'host') ? [] : [['Host', 'postern'] as const];
  const lines = [...host, ...headers, ...(isUpgrade ? UPGRADE : [])];
  return {
    listener: 'external',
    method,
    target,
    httpVersion: '1.1',
    rawHeaders: lines.flat(),
    headers: joined(lines),
    peer,
    encrypted: true,
    isUpgrade,
    pipelinedBytes: 0,
  };
}

/** A valid handshake: the question is not about the handshake (RFC 6455 4.1). */
const UPGRADE: readonly (readonly [string, string])[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
];

/** The headers as Node joins repeats. Headers that must not be repeated are refused before they are read here. */
function joined(lines: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [received, value] of lines) {
    const name = received.toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return headers;
}
