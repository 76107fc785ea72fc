/** A notice of unusual viewing as a record of the ledger, and as a sentence for the webhook (SPEC 14). Pure. */
import { LEDGER_NOTICES, type LedgerEntry, type LedgerNotice, type Once } from '../domain/ledger.ts';
import type { Unusual } from './notices.ts';

/** Who showed something unusual, and when it was noticed. */
export interface NoticedViewer {
  readonly user: string;
  /** Empty: the person. */
  readonly viewer: string;
  /** `2026-11-22` */
  readonly day: string;
  /** Unix seconds. */
  readonly at: number;
}

/** Once a day for each viewer and kind. */
export const onceOf = ({ kind }: Unusual, { user, viewer, day }: Omit<NoticedViewer, 'at'>): Once => ({
  id: JSON.stringify([day, user, viewer, kind]),
  day,
});

export function noticeEntry(unusual: Unusual, { user, viewer, at }: NoticedViewer): LedgerEntry {
  const from = Math.round(at * 1000) / 1000;
  return {
    kind: 'notice',
    user,
    credential: viewer === '' ? null : viewer,
    address: null,
    camera: unusual.kind === 'unusual-camera' ? unusual.camera : null,
    from,
    to: from,
    watchedFrom: null,
    watchedTo: null,
    detail: JSON.stringify({ what: unusual.kind, ...numbersOf(unusual) }),
  };
}

function numbersOf(unusual: Unusual): Readonly<Record<string, string>> {
  switch (unusual.kind) {
    case 'unusual-hour':
      return { hour: String(unusual.hour) };
    case 'unusual-camera':
      return {};
    case 'many-minutes':
      return { minutes: String(Math.round(unusual.minutes)), usual: String(Math.round(unusual.usual)) };
    case 'many-exports':
      return { exports: String(unusual.exports), usual: String(Math.round(unusual.usual)) };
  }
}

export interface ToldNotice {
  readonly kind: LedgerNotice;
  readonly user: string;
  readonly sentence: string;
}

/** Undefined for every other record. */
export function toldNotice({ kind, user, credential, camera, detail }: LedgerEntry): ToldNotice | undefined {
  if (kind !== 'notice') return undefined;
  const told: Readonly<Record<string, string>> = Object(JSON.parse(detail ?? '{}'));
  const what = LEDGER_NOTICES.find((known) => known === told['what']);
  if (what === undefined || user === null) return undefined;
  const by = credential === null ? '' : ` (${credential})`;
  return { kind: what, user, sentence: `${SENTENCES[what](told, camera ?? '')}${by}` };
}

type Told = Readonly<Record<string, string>>;

const SENTENCES: Readonly<Record<LedgerNotice, (told: Told, camera: string) => string>> = {
  'unusual-hour': ({ hour }) => `watched between ${hour}:00 and ${Number(hour) + 1}:00, for the first time`,
  'unusual-camera': (_, camera) => `watched camera ${camera} for the first time`,
  'many-minutes': ({ minutes, usual }) => `watched ${minutes} minutes in one day, usually ${usual}`,
  'many-exports': ({ exports, usual }) => `made or fetched ${exports} exports in one day, usually ${usual}`,
};
