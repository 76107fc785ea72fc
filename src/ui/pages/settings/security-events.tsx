/** Settings > Security events: what happened to one's own account lately (SPEC 12). */
import { type Column, RecordTable } from '../shared/table/record-table.tsx';
import { formatShortMoment } from '../shared/times.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { type AccountEvent, recordsIn } from './account-records.ts';
import { deviceName } from './device-name.ts';
import { RecordsPage } from './records.tsx';

/** An event of a newer service has its own name. */
const nameOf = (event: string): string =>
  (words.ledger.notices.kinds as Readonly<Record<string, string>>)[event] ?? event;

export function SecurityEvents() {
  const [events, again] = useFetched('api/account/events', recordsIn<AccountEvent>);
  return (
    <RecordsPage
      title={words.ledger.notices.title}
      lead={words.ledger.notices.lead}
      done=""
      fetched={events}
      onRetry={again}
    >
      {(known) => (
        <RecordTable
          caption={words.ledger.notices.title}
          rows={known}
          keyOf={({ id }) => id}
          columns={columns()}
          searchText={(event) => [nameOf(event.event), event.by ?? '', event.address, deviceOf(event)].join(' ')}
          none={words.ledger.notices.none}
        />
      )}
    </RecordsPage>
  );
}

const deviceOf = ({ agent }: AccountEvent): string => (agent === null ? '–' : deviceName(agent));

const columns = (): readonly Column<AccountEvent>[] => [
  {
    key: 'event',
    title: words.ledger.notices.what,
    sortBy: ({ event }) => nameOf(event),
    cell: ({ event }) => nameOf(event),
  },
  {
    key: 'at',
    title: words.ledger.notices.when,
    isShort: true,
    sortBy: ({ at }) => at,
    isDescendingFirst: true,
    cell: ({ at }) => formatShortMoment(at),
  },
  {
    key: 'by',
    title: words.ledger.notices.by,
    sortBy: ({ by }) => by ?? undefined,
    cell: ({ by }) => <bdi>{by ?? '–'}</bdi>,
  },
  {
    key: 'address',
    title: words.sessions.address,
    sortBy: ({ address }) => address,
    cell: ({ address }) => <bdi>{address}</bdi>,
  },
  { key: 'device', title: words.ledger.notices.device, sortBy: deviceOf, cell: deviceOf },
];
