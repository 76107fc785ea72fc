/** The table of activity; the person and the camera of a row are one click away from all that is known of them (SPEC 14). */
import { isPictureKind } from '../../../domain/policy.ts';
import { useFetched, valueOr } from '../../../ui/pages/shared/api.ts';
import { Thumbnail } from '../../../ui/pages/shared/events/event-row.tsx';
import { readEvent } from '../../../ui/pages/shared/events/event-view.ts';
import { type Fact, Facts } from '../../../ui/pages/shared/parts.tsx';
import { type Column, RecordTable } from '../../../ui/pages/shared/record-table.tsx';
import { Badge } from '../../../ui/pages/shared/records-page.tsx';
import {
  cameraName,
  formatDay,
  formatDuration,
  formatSpan,
  formatTick,
  words,
} from '../../../ui/pages/shared/words.ts';
import {
  type ActivityRecord,
  type ActivityRow,
  type CredentialNames,
  credentialText,
  readDetail,
  recordFields,
  toRows,
  toSentence,
  viewerOf,
  viewerText,
} from './activity-records.ts';

export interface ActivityTableProps {
  readonly records: readonly ActivityRecord[];
  readonly names: CredentialNames;
  /** What is said where there is no record. */
  readonly none: string;
  readonly onUser: (user: string) => void;
  readonly onCamera: (camera: string) => void;
}

export function ActivityTable({ records, names, none, onUser, onCamera }: ActivityTableProps) {
  const text = words.ledger;
  const now = Date.now() / 1000;
  const columns: readonly (Column<ActivityRow> | false)[] = [
    { title: text.kind, cell: (row) => <What row={row} names={names} /> },
    {
      title: text.person,
      sortBy: ({ record }) => viewerText(viewerOf(record), record.user, names),
      cell: ({ record }) => {
        const viewer = viewerOf(record);
        const user = viewerText(viewer, record.user, names);
        return user && <Chosen name={viewer} shown={user} what={text.whatSaw({ user })} onChoose={onUser} />;
      },
    },
    {
      title: text.camera,
      sortBy: ({ record: { camera } }) => (camera ? cameraName(camera) : ''),
      cell: ({ record: { camera } }) =>
        camera && (
          <Chosen
            name={camera}
            shown={cameraName(camera)}
            what={text.whoWatched({ camera: cameraName(camera) })}
            onChoose={onCamera}
          />
        ),
    },
    records.some(({ site }) => site !== undefined) && {
      title: text.site,
      sortBy: ({ record }) => record.site ?? '',
      cell: ({ record }) => record.site && <bdi>{record.site}</bdi>,
    },
    // Its day stands above it.
    { title: text.when, at: ({ from }) => from, cell: ({ from }) => formatTick(from, 1), isDescendingFirst: true },
    { title: text.what, cell: (row) => <More row={row} names={names} /> },
  ];
  return (
    <RecordTable
      caption={text.title}
      rows={toRows(records)}
      keyOf={({ record }) => record.id}
      columns={columns}
      searchText={({ record, count }) =>
        [
          toSentence(record, names, count),
          viewerText(viewerOf(record), record.user, names),
          record.camera,
          record.address,
        ].join(' ')
      }
      groupOf={({ from }) => formatDay(from, now)}
      none={none}
      narrow="text"
    />
  );
}

type RowProps = { row: ActivityRow; names: CredentialNames };

function What({ row: { record, count, event }, names }: RowProps) {
  const text = words.ledger;
  const seen: Readonly<Record<string, string>> = text.seen;
  const mark = seen[readDetail(record, 'seen') ?? ''];
  return (
    <>
      {event !== undefined && <EventPicture id={event} />}
      <bdi>{toSentence(record, names, count)}</bdi>{' '}
      {record.hash === null && isPictureKind(record.kind) && <Badge text={text.now} kind="strong" />}
      {mark !== undefined && <Badge text={mark} />}
      {readDetail(record, 'ended') !== undefined && <Badge text={text.endUnknown} />}
    </>
  );
}

function More({ row: { record, to, from, duration, count, cameras }, names }: RowProps) {
  const text = words.ledger;
  const { address, credential, watched_from: begin, watched_to: end } = record;
  const facts: readonly Fact[] = [
    [text.howLong, duration >= 1 ? formatDuration(duration) : ''],
    [text.range, count > 1 ? spanText(from, to) : ''],
    [text.recorded, begin === undefined ? '' : spanText(begin, end)],
    [text.camera, cameras.size > 1 ? [...cameras].map(cameraName).join(', ') : ''],
    ...recordFields(record),
    [text.address, address ? whereText(address) : ''],
    [text.by, credential ? credentialText(credential, names) : ''],
  ];
  if (facts.every(([, value]) => value === '')) return <>–</>;
  return (
    <details class="activity-more">
      <summary>{text.show}</summary>
      <Facts class="" rows={facts} />
    </details>
  );
}

const spanText = (from: number, to = from): string => formatSpan(from, Math.max(from, to));

/** An address, or where else an act came from. */
function whereText(address: string): string {
  const places: Readonly<Record<string, string>> = words.ledger.places;
  return Object.hasOwn(places, address) ? (places[address] ?? address) : address;
}

/**
 * The picture of the event that was seen, and only one that comes with the event: a picture in a file of the NVR would be a
 * viewing of its own, of each camera that a list shows. The place is kept free meanwhile.
 */
function EventPicture({ id }: { id: string }) {
  const event = valueOr(useFetched(`api/events/${encodeURIComponent(id)}`, readEvent)[0], undefined);
  return event === undefined ? <span class="thumbnail" /> : <Thumbnail event={{ ...event, isPictureInFile: false }} />;
}

/** `shown`: what people read. */
type ChosenProps = { name: string; shown: string; what: string; onChoose: (name: string) => void };

const Chosen = ({ name, shown, what, onChoose }: ChosenProps) => (
  <button class="chip chip-button" type="button" title={what} aria-label={what} onClick={() => onChoose(name)}>
    <bdi>{shown}</bdi>
  </button>
);
