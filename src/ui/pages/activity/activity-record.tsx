/** One record of the activity; its person and its camera are one click away from all that is known of them (SPEC 14). */
import { Badge, RecordItem } from '../settings/records.tsx';
import { textOf } from '../shared/forms/fields.ts';
import { formatDuration, formatShortMoment } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import { type CredentialNames, credentialText } from './credential-text.ts';
import type { ActivityRecord } from './read-activity.ts';

interface ActivityItemProps {
  readonly record: ActivityRecord;
  readonly names: CredentialNames;
  readonly onUser: (user: string) => void;
  readonly onCamera: (camera: string) => void;
}

const nameIn = (names: Readonly<Record<string, string>>, name: string): string => names[name] ?? name;

export function ActivityItem({ record, names, onUser, onCamera }: ActivityItemProps) {
  const { kind, user, camera, from, to, address, credential, detail, goesOn } = record;
  const text = words.activity;
  const seen = textOf(detail['seen']);
  return (
    <RecordItem
      name={nameIn(text.kinds, kind)}
      badges={
        <>
          {goesOn && <Badge text={text.now} kind="strong" />}
          {seen !== undefined && <Badge text={nameIn(text.seen, seen)} />}
          {textOf(detail['ended']) !== undefined && <Badge text={text.endUnknown} />}
        </>
      }
      facts={[
        [
          text.person,
          user === undefined ? '–' : <Chosen key="user" name={user} what={text.whatSaw(user)} onChoose={onUser} />,
        ],
        ...(camera === undefined
          ? []
          : ([
              [text.camera, <Chosen key="camera" name={camera} what={text.whoWatched(camera)} onChoose={onCamera} />],
            ] as const)),
        [text.when, from === undefined ? '–' : formatShortMoment(from)],
        ...(from !== undefined && to !== undefined && to - from >= 1
          ? ([[text.howLong, formatDuration(to - from)]] as const)
          : []),
        ...watchedFact(record),
        ...detailFact(record),
        [text.address, <bdi key="address">{address ?? '–'}</bdi>],
        ...(credential === undefined ? [] : ([[text.by, credentialText(credential, names)]] as const)),
      ]}
    />
  );
}

type Facts = readonly (readonly [name: string, value: string])[];

function watchedFact({ watchedFrom, watchedTo }: ActivityRecord): Facts {
  if (watchedFrom === undefined) return [];
  const span = watchedTo !== undefined && watchedTo > watchedFrom ? ` – ${formatShortMoment(watchedTo)}` : '';
  return [[words.activity.recorded, `${formatShortMoment(watchedFrom)}${span}`]];
}

/** Shown by badges, or by other facts. */
const TOLD: readonly string[] = ['seen', 'ended', 'what', 'agent'];

/** `custom-role-changed: role porch` */
function detailFact({ kind, detail }: ActivityRecord): Facts {
  const what = kind === 'login' || kind === 'logout' ? undefined : textOf(detail['what']);
  const more = Object.entries(detail)
    .filter(([name]) => !TOLD.includes(name))
    .map(([name, value]) => `${name} ${String(value)}`);
  const told = [what, more.join(', ')].filter((part) => part !== undefined && part !== '').join(': ');
  return told === '' ? [] : [[words.activity.what, told]];
}

const Chosen = ({ name, what, onChoose }: { name: string; what: string; onChoose: (name: string) => void }) => (
  <button class="chip chip-button" type="button" title={what} aria-label={what} onClick={() => onChoose(name)}>
    <bdi>{name}</bdi>
  </button>
);
