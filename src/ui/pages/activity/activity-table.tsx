/** The table of activity; the person and the camera of a row are one click away from all that is known of them (SPEC 14). */
import { Badge } from '../settings/page.tsx';
import { textOf } from '../shared/forms/fields.ts';
import { cameraName } from '../shared/names.ts';
import { type Column, RecordTable } from '../shared/table/record-table.tsx';
import { formatDuration, formatShortMoment } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import { type ActivityRow, rowsOf } from './activity-rows.ts';
import { type CredentialNames, credentialText } from './credential-text.ts';
import { EventPicture } from './event-picture.tsx';
import type { ActivityRecord } from './read-activity.ts';
import { fieldsOf, sentenceOf } from './sentence.ts';

interface ActivityTableProps {
  readonly records: readonly ActivityRecord[];
  readonly names: CredentialNames;
  /** What is said where there is no record. */
  readonly none: string;
  readonly onUser: (user: string) => void;
  readonly onCamera: (camera: string) => void;
}

export function ActivityTable({ records, names, none, onUser, onCamera }: ActivityTableProps) {
  const text = words.ledger;
  const columns: readonly Column<ActivityRow>[] = [
    { key: 'what', title: text.kind, cell: (row) => <What row={row} names={names} /> },
    {
      key: 'person',
      title: text.person,
      sortBy: ({ record }) => record.user ?? '',
      cell: ({ record: { user } }) =>
        user === undefined ? null : <Chosen name={user} what={text.whatSaw({ user })} onChoose={onUser} />,
    },
    {
      key: 'camera',
      title: text.camera,
      sortBy: ({ record: { camera } }) => (camera === undefined ? '' : cameraName(camera)),
      cell: ({ record: { camera } }) =>
        camera === undefined ? null : (
          <Chosen
            name={camera}
            shown={cameraName(camera)}
            what={text.whoWatched({ camera: cameraName(camera) })}
            onChoose={onCamera}
          />
        ),
    },
    ...(records.some(({ site }) => site !== undefined) ? [SITE_COLUMN()] : []),
    {
      key: 'when',
      title: text.when,
      isShort: true,
      isDescendingFirst: true,
      sortBy: ({ from }) => from ?? 0,
      cell: ({ from }) => (from === undefined ? '–' : formatShortMoment(from)),
    },
    { key: 'more', title: text.what, cell: (row) => <More row={row} names={names} /> },
  ];
  return (
    <RecordTable
      caption={text.title}
      rows={rowsOf(records)}
      keyOf={({ record }) => record.id}
      columns={columns}
      searchText={({ record, count }) =>
        [sentenceOf(record, names, count), record.user, record.camera, record.address].join(' ')
      }
      none={none}
    />
  );
}

const SITE_COLUMN = (): Column<ActivityRow> => ({
  key: 'site',
  title: words.ledger.site,
  isShort: true,
  sortBy: ({ record }) => record.site ?? '',
  cell: ({ record: { site } }) => (site === undefined ? null : <bdi>{site}</bdi>),
});

function What({ row: { record, count, event }, names }: { row: ActivityRow; names: CredentialNames }) {
  const text = words.ledger;
  const seen: Readonly<Record<string, string>> = text.seen;
  const mark = seen[textOf(record.detail['seen']) ?? ''];
  return (
    <>
      {event !== undefined && <EventPicture id={event} />}
      <bdi>{sentenceOf(record, names, count)}</bdi> {record.goesOn && <Badge text={text.now} kind="strong" />}
      {mark !== undefined && <Badge text={mark} />}
      {textOf(record.detail['ended']) !== undefined && <Badge text={text.endUnknown} />}
    </>
  );
}

function More({ row: { record, to, from, duration, count }, names }: { row: ActivityRow; names: CredentialNames }) {
  const text = words.ledger;
  const { address, credential, watchedFrom, watchedTo } = record;
  const facts: readonly (readonly [string, string])[] = [
    ...(duration >= 1 ? [[text.howLong, formatDuration(duration)] as const] : []),
    ...(count > 1 && from !== undefined && to !== undefined ? [[text.range, spanText(from, to)] as const] : []),
    ...(watchedFrom === undefined ? [] : [[text.recorded, spanText(watchedFrom, watchedTo)] as const]),
    ...fieldsOf(record),
    ...(address === undefined ? [] : [[text.address, whereText(address)] as const]),
    ...(credential === undefined ? [] : [[text.by, credentialText(credential, names)] as const]),
  ];
  if (facts.length === 0) return <>–</>;
  return (
    <details class="activity-more">
      <summary>{text.show}</summary>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const spanText = (from: number, to: number | undefined): string =>
  `${formatShortMoment(from)}${to !== undefined && to > from ? ` – ${formatShortMoment(to)}` : ''}`;

/** An address, or where else an act came from. */
function whereText(address: string): string {
  const places: Readonly<Record<string, string>> = words.ledger.places;
  return Object.hasOwn(places, address) ? (places[address] ?? address) : address;
}

interface ChosenProps {
  readonly name: string;
  /** What people read, where that is another name. */
  readonly shown?: string;
  readonly what: string;
  readonly onChoose: (name: string) => void;
}

const Chosen = ({ name, shown = name, what, onChoose }: ChosenProps) => (
  <button class="chip chip-button" type="button" title={what} aria-label={what} onClick={() => onChoose(name)}>
    <bdi>{shown}</bdi>
  </button>
);
