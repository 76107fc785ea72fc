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
  (words.securityEvents.kinds as Readonly<Record<string, string>>)[event] ?? event;

export function SecurityEvents() {
  const [events, again] = useFetched('api/account/events', recordsIn<AccountEvent>);
  return (
    <RecordsPage
      title={words.securityEvents.title}
      lead={words.securityEvents.lead}
      done=""
      fetched={events}
      onRetry={again}
    >
      {(known) => (
        <RecordTable
          caption={words.securityEvents.title}
          rows={known}
          keyOf={({ id }) => id}
          columns={columns()}
          searchText={(event) => [nameOf(event.event), event.by ?? '', event.address, deviceOf(event)].join(' ')}
          none={words.securityEvents.none}
        />
      )}
    </RecordsPage>
  );
}

const deviceOf = ({ agent }: AccountEvent): string => (agent === null ? '–' : deviceName(agent));

const columns = (): readonly Column<AccountEvent>[] => [
  {
    key: 'event',
    title: words.securityEvents.what,
    sortBy: ({ event }) => nameOf(event),
    cell: ({ event }) => nameOf(event),
  },
  {
    key: 'at',
    title: words.securityEvents.when,
    isShort: true,
    sortBy: ({ at }) => at,
    isDescendingFirst: true,
    cell: ({ at }) => formatShortMoment(at),
  },
  {
    key: 'by',
    title: words.securityEvents.by,
    sortBy: ({ by }) => by ?? undefined,
    cell: ({ by }) => <bdi>{by ?? '–'}</bdi>,
  },
  {
    key: 'address',
    title: words.sessions.address,
    sortBy: ({ address }) => address,
    cell: ({ address }) => <bdi>{address}</bdi>,
  },
  { key: 'device', title: words.securityEvents.device, sortBy: deviceOf, cell: deviceOf },
];
