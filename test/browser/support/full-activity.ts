/** Records of every kind, and sums of a few days, as `GET /api/ledger` gives them. */
import { LEDGER_KINDS } from '../../../src/features/ledger/records.ts';

const now = Math.floor(Date.now() / 1000);
const DAY = 86_400;

const RECORDS = LEDGER_KINDS.map((kind, at) => ({
  id: `main-00000000000${at}`,
  kind,
  user: at % 3 === 0 ? 'x'.repeat(30) : 'vera',
  credential: ['session', 'token:7', 'link:9', 'proxy', 'internal'][at % 5],
  address: at % 2 ? '192.0.2.1' : '2001:db8:1234:5678:9abc:def0:1234:5678',
  camera: at < 3 ? 'patio_with_a_long_name_for_a_camera' : null,
  from: now - at * 700,
  to: now - at * 700 + 600,
  ...(kind === 'history' && { watched_from: now - 9 * DAY, watched_to: now - 8 * DAY }),
  detail: {
    what: 'custom-role-changed',
    role: 'porch_and_garden',
    seen: at % 2 ? 'question' : 'signalling',
    ended: 'unknown',
  },
  hash: at === 0 ? null : 'a'.repeat(64),
}));

export const FULL_ACTIVITY = RECORDS;

const dayKey = (daysAgo: number): string => new Date((now - daysAgo * DAY) * 1000).toISOString().slice(0, 10);

export const FULL_DAYS = ['vera', 'x'.repeat(30)].flatMap((user) =>
  [0, 1, 3].map((daysAgo) => ({ day: dayKey(daysAgo), user, minutes: 12.5 * (daysAgo + 1), viewings: 3, exports: 1 })),
);
