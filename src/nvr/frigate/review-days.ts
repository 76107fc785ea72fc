/** Frigate counts what it has to review by day: alerts and detections of the last 30 days (facts of `/api/review/summary`). */
import type { EventRules } from '../../access/nvr-adapter.ts';
import { isRecord } from '../../domain/json.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const DAYS: EventRules['days'] = {
  path: '/api/review/summary',
  countedIn: (json) =>
    isRecord(json)
      ? Object.entries(json)
          .filter(([key]) => DAY.test(key))
          .map(([day, sums]) => ({ day, count: numberIn(sums, 'total_alert') + numberIn(sums, 'total_detection') }))
      : undefined,
};

/** Null where there were none. */
const numberIn = (sums: unknown, name: string): number => {
  const number = isRecord(sums) ? sums[name] : undefined;
  return typeof number === 'number' ? number : 0;
};
