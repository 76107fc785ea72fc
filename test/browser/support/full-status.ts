/** A status with something in every part, and with names from outside that mean no good. */

import type { Report } from '../../../src/features/doctor/cause.ts';
import type { ServiceStatus } from '../../../src/gateway/readiness.ts';

/** With a finding of each level, lines to change, and what a proxy could answer. */
export const FULL_REPORT: Report = {
  url: 'https://nvr.example.com/',
  proxy: 'nginx',
  findings: [
    {
      name: 'second-factor',
      level: 'advice',
      seen: 'no second factor is asked for',
      advice: 'Set one.',
      lines: [],
    },
    {
      name: 'certificate',
      level: 'warning',
      seen: 'the certificate ends on 2026-11-30',
      advice: 'Renew it.',
      lines: [],
    },
    {
      name: 'upgrade-lost',
      level: 'error',
      seen: `WebSockets do not get through <img src=x onerror=alert(1)> ${'x'.repeat(200)}`,
      advice: 'Let the proxy pass Upgrade and Connection on.',
      lines: ['proxy_http_version 1.1;', `proxy_set_header Upgrade ${'y'.repeat(120)};`],
    },
  ],
  good: ['unreachable', 'store'],
  closed: [5000, 1984],
};

const NOW = Math.floor(Date.now() / 1000);
const HOUR = 3600;

export const FULL_STATUS: ServiceStatus = {
  startedAt: NOW - 3 * 86_400,
  versions: { postern: '0.1.0', node: 'v24.21.0', nvr: '0.17.0' },
  publicUrl: 'https://nvr.example.com/',
  store: { kind: 'ok' },
  nvr: { kind: 'failed', reason: 'connect ECONNREFUSED 192.0.2.5:5000', problem: 'nvr-unreachable' },
  events: { kind: 'unused' },
  certificate: { subject: 'CN=postern.example', expiresAt: NOW + 5 * 86_400, isSelfSigned: true },
  warnings: [
    { key: 'auth.trusted_proxies', message: 'Failures come from one private address: list the proxy there.' },
    { key: null, message: `A sentence without a key: ${'x'.repeat(200)}` },
  ],
  limiter: { clauses: '5/minute;20/hour', addresses: 12, limited: 1 },
  loginFailures: [1, 22, 0, 3].map((count, at) => ({ start: (Math.floor(NOW / HOUR) - 3 + at) * HOUR, count })),
  unknownRoutes: [{ method: 'GET', path: '/api/<img src=x onerror=alert(1)>', count: 12, lastSeenAt: NOW - 500 }],
  failures: [
    { at: NOW - 60, reason: 'nvr-unreachable', method: 'GET', path: `/api/${'y'.repeat(200)}`, requestId: 'a1b2' },
  ],
};
