/** What the gate asks the NVR by itself, which no test has caused. */
import type { Received } from './fake-nvr.ts';

/**
 * The gate asks for the cameras from time to time. To the letter: what an attack smuggles in has other headers, and what is
 * forwarded has more.
 */
export const isOwnQuestion = ({ method, target, headers }: Received): boolean =>
  `${method} ${target}` === 'GET /api/config' &&
  headers
    .map(([name, value]) => (name === 'host' ? name : `${name}: ${value}`))
    .sort()
    .join() === 'connection: keep-alive,host,remote-role: admin,remote-user: anonymous';
