/** Requests for tests of pure steps: a plain GET from a neighbour, with what the test changes. */
import type { RequestFacts } from '../../src/domain/request.ts';

export type HeaderLine = readonly [name: string, value: string];

/** `headers` are sent after `Host: nvr.test`, a line each; give `rawHeaders` to leave Host out. */
export function someRequest(
  changes: Partial<Omit<RequestFacts, 'headers'>> = {},
  headers: readonly HeaderLine[] = [],
): RequestFacts {
  const rawHeaders = changes.rawHeaders ?? ['Host', 'nvr.test', ...headers.flat()];
  return {
    listener: 'external',
    method: 'GET',
    target: '/api/stats',
    httpVersion: '1.1',
    peer: '192.0.2.9',
    encrypted: false,
    isUpgrade: false,
    pipelinedBytes: 0,
    ...changes,
    rawHeaders,
    headers: joined(rawHeaders),
  };
}

/** Near enough to what Node makes of repeats. */
function joined(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}
