/** Settings > Security events: what happened to one's own account lately (SPEC 12). */
import { formatShortMoment } from '../shared/times.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { readAccountEvents } from './account-records.ts';
import { deviceName } from './device-name.ts';
import { RecordItem, Records, RecordsPage } from './records.tsx';

/** An event of a newer service has its own name. */
const nameOf = (event: string): string =>
  (words.securityEvents.kinds as Readonly<Record<string, string>>)[event] ?? event;

export function SecurityEvents() {
  const [events, again] = useFetched('api/account/events', readAccountEvents);
  return (
    <RecordsPage
      title={words.securityEvents.title}
      lead={words.securityEvents.lead}
      done=""
      fetched={events}
      onRetry={again}
    >
      {(known) => (
        <>
          {known.length === 0 && <p class="blank">{words.securityEvents.none}</p>}
          <Records>
            {known.map(({ id, event, at, by, address, agent }) => (
              <RecordItem
                key={id}
                name={nameOf(event)}
                facts={[
                  [words.securityEvents.when, at === undefined ? '–' : formatShortMoment(at)],
                  [words.securityEvents.by, by === undefined ? '–' : <bdi key="by">{by}</bdi>],
                  [words.sessions.address, <bdi key="address">{address}</bdi>],
                  [words.securityEvents.device, agent === undefined ? '–' : deviceName(agent)],
                ]}
              />
            ))}
          </Records>
        </>
      )}
    </RecordsPage>
  );
}
