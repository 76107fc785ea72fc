/** Settings > Sessions: lists the logged-in browsers and apps, and ends sessions (SPEC 4.2). */
import { isAdmin, useProfile } from '../shared/account.ts';
import type { SessionRecord } from '../shared/answers.ts';
import { type ApiResponse, sendToApi } from '../shared/api.ts';
import { Opener, Question } from '../shared/forms.tsx';
import { Badge, pathTo, ResourcePage, removal } from '../shared/records-page.tsx';
import { useList } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { deviceName } from './names.ts';

const deviceOf = ({ agent }: SessionRecord): string => deviceName(agent);

const pathOf = ({ id }: SessionRecord): string => pathTo('api/sessions', id);

export function Sessions() {
  const profile = useProfile();
  const text = words.sessions;
  const endMany = (which: keyof typeof text.endMany, sessions: readonly SessionRecord[]) => (
    <Opener kind="bad" dialog={() => <EndSessions {...{ which, sessions }} />}>
      {text.endMany[which].act}
    </Opener>
  );
  return (
    <ResourcePage
      title={text.title}
      lead={isAdmin(profile) ? text.leadAdmin : text.lead}
      none={text.none}
      fetched={useList('api/sessions')}
      actions={(sessions) => {
        const others = sessions.filter(({ current }) => !current);
        const own = others.filter(({ user }) => user === profile.username);
        return (
          <>
            {own.length > 0 && endMany('own', own)}
            {others.length > own.length && endMany('allUsers', others)}
          </>
        );
      }}
      keyOf={({ id }) => id}
      columns={[
        {
          title: words.ledger.notices.device,
          text: deviceOf,
          more: ({ current }) => current && <Badge text={text.this} kind="strong" />,
        },
        {
          title: words.ui.common.user,
          text: ({ user }) => user,
          more: ({ user }) => user === profile.username && <Badge text={words.users.you} />,
          isShown: isAdmin(profile),
        },
        { title: text.address, text: ({ address }) => address },
        { title: text.since, at: ({ since }) => since, isDescendingFirst: true },
        { title: text.lastSeen, at: ({ last_seen }) => last_seen, isDescendingFirst: true },
      ]}
      nameOf={(session) => `${deviceOf(session)}, ${session.user}`}
      acts={(session) => {
        const asks = {
          title: text.endTitle({ device: deviceOf(session) }),
          what: text.endWhat(session),
          done: text.ended,
        };
        return session.current ? [] : [removal(text.end, pathOf(session), asks)];
      }}
    />
  );
}

/** The own ones, or those of every user. This session stays in both cases. */
type EndSessionsProps = { which: keyof typeof words.sessions.endMany; sessions: readonly SessionRecord[] };

function EndSessions({ which, sessions }: EndSessionsProps) {
  const text = words.sessions.endMany[which];
  const endAll = async (): Promise<ApiResponse | undefined> => {
    for (const session of sessions) {
      const response = await sendToApi('DELETE', pathOf(session));
      // 404: the session has ended by itself in the meantime.
      if (response.kind !== 'ok' && !(response.kind === 'refused' && response.status === 404)) return response;
    }
    return undefined;
  };
  return (
    <Question
      title={text.title}
      submit={text.act}
      isDangerous
      what={text.what({ number: sessions.length })}
      onSubmit={endAll}
      done={text.done}
    />
  );
}
