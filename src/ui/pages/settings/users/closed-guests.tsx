/** Guests of providers whose accounts are gone, in Settings > Users: a login makes none anew (SPEC 13). */
import { type Column, RecordTable } from '../../shared/table/record-table.tsx';
import { formatShortMoment } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { ClosedGuestRecord } from '../account-records.ts';

/** Nothing while there are none. */
export function ClosedGuests({ guests }: { readonly guests: readonly ClosedGuestRecord[] }) {
  if (guests.length === 0) return null;
  return (
    <section class="more-records" aria-labelledby="closed-guests-title">
      <h2 id="closed-guests-title">{words.oidc.guests.title}</h2>
      <p>{words.oidc.guests.what}</p>
      <p>
        <code>postern users sign-ins forget</code>
      </p>
      <RecordTable
        caption={words.oidc.guests.title}
        rows={guests}
        keyOf={({ provider, subject }) => `${provider} ${subject}`}
        columns={columns()}
        searchText={({ provider, subject }) => `${provider} ${subject}`}
      />
    </section>
  );
}

const columns = (): readonly Column<ClosedGuestRecord>[] => [
  {
    key: 'provider',
    title: words.oidc.signIns.provider,
    sortBy: ({ provider }) => provider,
    cell: ({ provider }) => <bdi>{provider}</bdi>,
  },
  {
    key: 'subject',
    title: words.oidc.guests.subject,
    sortBy: ({ subject }) => subject,
    cell: ({ subject }) => <bdi>{subject}</bdi>,
  },
  {
    key: 'until',
    title: words.oidc.guests.knownUntil,
    isShort: true,
    sortBy: ({ known_until }) => known_until,
    cell: ({ known_until }) => formatShortMoment(known_until),
  },
];
