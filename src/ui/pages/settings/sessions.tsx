/** Settings > Sessions: lists the logged-in browsers and apps, and ends sessions (SPEC 4.2). */
import { useState } from 'preact/hooks';
import type { Profile } from '../console/profile.ts';
import { type ApiResponse, sendToApi } from '../shared/api.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { problemOf } from '../shared/problem-of.ts';
import { formatShortMoment } from '../shared/times.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { readSessions, type SessionRecord } from './account-records.ts';
import { deviceName } from './device-name.ts';
import { Badge, RecordItem, Records, RecordsPage } from './records.tsx';
import { useForm } from './use-form.ts';

/** Whose other sessions end together: the own ones, or those of every user. This session stays in both cases. */
type EndMany = keyof typeof words.sessions.endMany;

const endSession = ({ id }: SessionRecord): Promise<ApiResponse> =>
  sendToApi('DELETE', `api/sessions/${encodeURIComponent(id)}`);

export function Sessions({ profile }: { profile: Profile }) {
  const [sessions, again] = useFetched('api/sessions', readSessions);
  const { form, open, done, setDone, ...shared } = useForm<EndMany>(again);
  const [problem, setProblem] = useState('');
  const end = async (session: SessionRecord): Promise<void> => {
    const response = await endSession(session);
    setDone(response.kind === 'ok' ? words.sessions.ended : '');
    setProblem(response.kind === 'ok' ? '' : problemOf(response));
    again();
  };
  const others = sessions.kind === 'ready' ? sessions.value.filter(({ isCurrent }) => !isCurrent) : [];
  const own = others.filter(({ user }) => user === profile.name);
  return (
    <RecordsPage
      title={words.sessions.title}
      lead={profile.role === 'admin' ? words.sessions.leadAdmin : words.sessions.lead}
      {...{ done, problem }}
      fetched={sessions}
      onRetry={again}
      actions={
        <>
          {own.length > 0 && (
            <button class="button" type="button" onClick={() => open('own')}>
              {words.sessions.endMany.own.act}
            </button>
          )}
          {others.length > own.length && (
            <button class="button" type="button" onClick={() => open('allUsers')}>
              {words.sessions.endMany.allUsers.act}
            </button>
          )}
        </>
      }
    >
      {(known) => (
        <>
          {known.length === 0 && <p class="blank">{words.sessions.none}</p>}
          <Records>
            {known.map((session) => (
              <SessionItem key={session.id} {...{ session, profile }} onEnd={() => void end(session)} />
            ))}
          </Records>
          {form && <EndSessions {...shared} which={form} sessions={form === 'own' ? own : others} />}
        </>
      )}
    </RecordsPage>
  );
}

interface SessionItemProps {
  readonly session: SessionRecord;
  readonly profile: Profile;
  readonly onEnd: () => void;
}

function SessionItem({ session, profile, onEnd }: SessionItemProps) {
  const device = deviceName(session.agent);
  return (
    <RecordItem
      name={device}
      badges={
        <>
          {profile.role === 'admin' && (
            <Badge text={session.user === profile.name ? words.sessions.own : session.user} />
          )}
          {session.isCurrent && <Badge text={words.sessions.this} kind="strong" />}
        </>
      }
      facts={[
        [words.sessions.address, <bdi key="address">{session.address}</bdi>],
        [words.sessions.since, session.since === undefined ? '–' : formatShortMoment(session.since)],
        [words.sessions.lastSeen, session.lastSeen === undefined ? '–' : formatShortMoment(session.lastSeen)],
      ]}
      actions={
        !session.isCurrent && (
          <button class="button button-small" type="button" aria-label={words.sessions.endOne(device)} onClick={onEnd}>
            {words.sessions.end}
          </button>
        )
      }
    />
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
      <p>{text.what(sessions.length)}</p>
    </FormDialog>
  );
}
