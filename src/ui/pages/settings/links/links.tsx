/** Settings > Links: what was shared without an account, who opened it, and how to end it (SPEC 13). */
import type { Profile } from '../../shared/account/profile.ts';
import { sendToApi } from '../../shared/api.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { cameraName } from '../../shared/names.ts';
import { type Column, RecordTable } from '../../shared/table/record-table.tsx';
import { Act } from '../../shared/table/row-menu.tsx';
import { formatShortMoment, formatSpan } from '../../shared/times.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import { type LinkRecord, recordsIn } from '../account-records.ts';
import { Badge, RecordsPage } from '../records.tsx';
import { useForm } from '../use-form.ts';
import { settled } from '../users/user-forms.tsx';

export function Links({ profile }: { profile: Profile }) {
  const [links, again] = useFetched('api/links', recordsIn<LinkRecord>);
  const { form, open, done, ...shared } = useForm<LinkRecord>(again);
  return (
    <RecordsPage title={words.links.title} lead={words.links.lead} done={done} fetched={links} onRetry={again}>
      {(known) => (
        <>
          <RecordTable
            caption={words.links.title}
            rows={known}
            keyOf={({ id }) => id}
            columns={columnsOf(profile)}
            searchText={(link) =>
              [nameOf(link), link.user, link.camera, sharedText(link), stateText(link.state)].join(' ')
            }
            none={words.links.none}
            actions={(link) =>
              (link.state === 'active' || link.state === 'spent') && (
                <Act text={words.tokens.revoke} name={nameOf(link)} isDangerous onAct={() => open(link)} />
              )
            }
          />
          {form && <RevokeLink {...shared} link={form} />}
        </>
      )}
    </RecordsPage>
  );
}

const nameOf = ({ name, what, camera }: LinkRecord): string => name ?? `${kindOf(what)}, ${cameraName(camera)}`;

const kindOf = (what: LinkRecord['what'], titles: Readonly<Record<string, string>> = words.links.titles): string => {
  const [kind = ''] = Object.keys(what);
  return titles[kind] ?? kind;
};

/** Ids of events and reviews begin with their time. */
const STAMP = /^(?<at>\d{10})(?:\.\d+)?-/;

/** `Recording, 4 Aug, 14:05 – 15:05` */
function sharedText({ what }: Pick<LinkRecord, 'what'>): string {
  const id = 'event' in what ? what.event : 'review' in what ? what.review : '';
  const at = STAMP.exec(id)?.groups?.['at'];
  const time =
    'recording' in what
      ? formatSpan(what.recording.from, what.recording.to)
      : at === undefined
        ? undefined
        : formatShortMoment(Number(at));
  return [kindOf(what, words.links.things), time].filter((part) => part !== undefined).join(', ');
}

const stateText = (state: string): string => {
  const { active, spent, revoked, expired } = words.links.states;
  const states: Readonly<Record<string, string>> = { active, spent, revoked, expired };
  return states[state] ?? state;
};

const columnsOf = (profile: Profile): readonly Column<LinkRecord>[] => [
  {
    key: 'name',
    title: words.links.name,
    sortBy: nameOf,
    cell: (link) => (
      <>
        <bdi>{nameOf(link)}</bdi> {link.has_pin && <Badge text={words.links.pin} />}
      </>
    ),
  },
  ...(profile.role === 'admin' ? [MAKER()] : []),
  {
    key: 'camera',
    title: words.links.shows,
    sortBy: ({ camera }) => cameraName(camera),
    cell: (link) => (
      <>
        <bdi>{cameraName(link.camera)}</bdi>
        <span class="fact-more">{sharedText(link)}</span>
      </>
    ),
  },
  {
    key: 'state',
    title: words.links.state,
    sortBy: ({ state }) => stateText(state),
    cell: ({ state }) => <Badge text={stateText(state)} kind={state === 'active' ? 'strong' : 'plain'} />,
  },
  {
    key: 'ends',
    title: words.links.ends,
    isShort: true,
    sortBy: ({ expires_at }) => expires_at,
    isDescendingFirst: true,
    cell: ({ expires_at }) => formatShortMoment(expires_at),
  },
  {
    key: 'viewers',
    title: words.links.opened,
    sortBy: ({ opened }) => opened,
    isDescendingFirst: true,
    cell: ({ uses, opened }) => (uses === null ? String(opened) : words.links.openedOf({ opened, uses })),
  },
  {
    key: 'openings',
    title: words.links.openings,
    sortBy: ({ openings }) => openings[0]?.at,
    isDescendingFirst: true,
    cell: ({ openings }) => <Openings openings={openings} />,
  },
];

const MAKER = (): Column<LinkRecord> => ({
  key: 'user',
  title: words.invitations.madeBy,
  sortBy: ({ user }) => user,
  cell: ({ user }) => <bdi>{user}</bdi>,
});

const SHOWN_OPENINGS = 3;

function Openings({ openings }: Pick<LinkRecord, 'openings'>) {
  if (openings.length === 0) return <>{words.tokens.notYet}</>;
  return (
    <>
      {openings.slice(0, SHOWN_OPENINGS).map(({ at, address }) => (
        <bdi key={`${at} ${address}`} class="fact-more">
          {`${formatShortMoment(at)} ${words.tokens.from({ address })}`}
        </bdi>
      ))}
    </>
  );
}

interface RevokeLinkProps {
  readonly link: LinkRecord;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function RevokeLink({ link, onClose, onDone }: RevokeLinkProps) {
  const revoke = async () =>
    settled(await sendToApi('DELETE', `api/links/${encodeURIComponent(link.id)}`), () =>
      onDone(words.links.revoked({ name: nameOf(link) })),
    );
  return (
    <FormDialog
      title={words.links.revokeTitle({ name: nameOf(link) })}
      submit={words.tokens.revoke}
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>{words.links.revokeWhat}</p>
    </FormDialog>
  );
}
