/** Settings > Sessions: lists the logged-in browsers and apps, and ends sessions (SPEC 4.2). */
import type { Profile } from '../shared/account/profile.ts';
import { type ApiResponse, sendToApi } from '../shared/api.ts';
import { FormDialog } from '../shared/forms/form-dialog.tsx';
import type { FormProblem } from '../shared/forms/form-faults.ts';
import { problemOf } from '../shared/forms/problem-of.ts';
import { type Column, RecordTable } from '../shared/table/record-table.tsx';
import { Act } from '../shared/table/row-menu.tsx';
import { formatShortMoment } from '../shared/times.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { recordsIn, type SessionRecord } from './account-records.ts';
import { deviceName } from './device-name.ts';
import { Badge, RecordsPage } from './records.tsx';
import { useForm } from './use-form.ts';
import { settled } from './users/user-forms.tsx';

/** Whose other sessions end together: the own ones, or those of every user. This session stays in both cases. */
type EndMany = keyof typeof words.sessions.endMany;

const endSession = ({ id }: SessionRecord): Promise<ApiResponse> =>
  sendToApi('DELETE', `api/sessions/${encodeURIComponent(id)}`);

export function Sessions({ profile }: { profile: Profile }) {
  const [sessions, again] = useFetched('api/sessions', recordsIn<SessionRecord>);
  const { form, open, done, ...shared } = useForm<EndMany | SessionRecord>(again);
  const others = sessions.kind === 'ready' ? sessions.value.filter(({ current }) => !current) : [];
  const own = others.filter(({ user }) => user === profile.name);
  return (
    <RecordsPage
      title={words.sessions.title}
      lead={profile.role === 'admin' ? words.sessions.leadAdmin : words.sessions.lead}
      done={done}
      fetched={sessions}
      onRetry={again}
      actions={
        <>
          {own.length > 0 && (
            <button class="button button-bad" type="button" onClick={() => open('own')}>
              {words.sessions.endMany.own.act}
            </button>
          )}
          {others.length > own.length && (
            <button class="button button-bad" type="button" onClick={() => open('allUsers')}>
              {words.sessions.endMany.allUsers.act}
            </button>
          )}
        </>
      }
    >
      {(known) => (
        <>
          <RecordTable
            caption={words.sessions.title}
            rows={known}
            keyOf={({ id }) => id}
            columns={columnsOf(profile)}
            searchText={({ user, address, agent }) => `${deviceName(agent)} ${user} ${address}`}
            none={words.sessions.none}
            actions={(session) =>
              !session.current && (
                <Act
                  text={words.sessions.end}
                  name={`${deviceName(session.agent)}, ${session.user}`}
                  isDangerous
                  onAct={() => open(session)}
                />
              )
            }
          />
          {typeof form === 'object' && <EndOne {...shared} session={form} />}
          {typeof form === 'string' && (
            <EndSessions {...shared} which={form} sessions={form === 'own' ? own : others} />
          )}
        </>
      )}
    </RecordsPage>
  );
}

const columnsOf = (profile: Profile): readonly Column<SessionRecord>[] => [
  {
    key: 'device',
    title: words.ledger.notices.device,
    sortBy: ({ agent }) => deviceName(agent),
    cell: ({ agent, current }) => (
      <>
        {deviceName(agent)} {current && <Badge text={words.sessions.this} kind="strong" />}
      </>
    ),
  },
  ...(profile.role === 'admin' ? [ownerColumn(profile)] : []),
  {
    key: 'address',
    title: words.sessions.address,
    sortBy: ({ address }) => address,
    cell: ({ address }) => <bdi>{address}</bdi>,
  },
  {
    key: 'since',
    title: words.sessions.since,
    isShort: true,
    sortBy: ({ since }) => since,
    isDescendingFirst: true,
    cell: ({ since }) => formatShortMoment(since),
  },
  {
    key: 'seen',
    title: words.sessions.lastSeen,
    isShort: true,
    sortBy: ({ last_seen }) => last_seen,
    isDescendingFirst: true,
    cell: ({ last_seen }) => formatShortMoment(last_seen),
  },
];

const ownerColumn = (profile: Profile): Column<SessionRecord> => ({
  key: 'user',
  title: words.ui.common.user,
  sortBy: ({ user }) => user,
  cell: ({ user }) => (
    <>
      <bdi>{user}</bdi> {user === profile.name && <Badge text={words.users.you} />}
    </>
  ),
});

interface EndOneProps {
  readonly session: SessionRecord;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function EndOne({ session, onClose, onDone }: EndOneProps) {
  const device = deviceName(session.agent);
  const end = async (): Promise<FormProblem | undefined> => {
    const response = await endSession(session);
    return settled(response, () => onDone(words.sessions.ended));
  };
  return (
    <FormDialog
      title={words.sessions.endTitle({ device })}
      submit={words.sessions.end}
      isDangerous
      onSubmit={end}
      onClose={onClose}
    >
      <p>
        <bdi>{words.sessions.endWhat({ user: session.user })}</bdi>
      </p>
    </FormDialog>
  );
}

interface EndSessionsProps {
  readonly which: EndMany;
  readonly sessions: readonly SessionRecord[];
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function EndSessions({ which, sessions, onClose, onDone }: EndSessionsProps) {
  const text = words.sessions.endMany[which];
  const endAll = async (): Promise<string | undefined> => {
    for (const session of sessions) {
      const response = await endSession(session);
      // 404: the session has ended by itself in the meantime.
      const isOver = response.kind === 'ok' || (response.kind === 'refused' && response.status === 404);
      if (!isOver) return problemOf(response);
    }
    onDone(text.done);
    return undefined;
  };
  return (
    <FormDialog title={text.title} submit={text.act} isDangerous onSubmit={endAll} onClose={onClose}>
      <p>{text.what({ number: sessions.length })}</p>
    </FormDialog>
  );
}
