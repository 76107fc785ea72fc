/** Settings > Sessions: lists the logged-in browsers and apps, and ends sessions (SPEC 4.2). */

import { isAdmin, useProfile } from '../shared/account.ts';
import type { SessionRecord } from '../shared/answers.ts';
import { type ApiResponse, getFromApi, inTurn, sendToApi } from '../shared/api.ts';
import { asking, removal } from '../shared/forms.tsx';
import { Badge, pathTo, ResourcePage, renaming } from '../shared/records-page.tsx';
import { recordsIn } from '../shared/untrusted.ts';
import { useFetched, valueOr } from '../shared/use-fetched.ts';
import { deviceName, words } from '../shared/words.ts';

const sessionDevice = ({ name, agent }: SessionRecord): string => name ?? deviceName(agent);

const pathOf = ({ id }: SessionRecord): string => pathTo('api/sessions', id);

export function Sessions() {
  const profile = useProfile();
  const text = words.sessions;
  /** The own ones, or those of every user. This session stays in both cases. */
  const endMany = (which: keyof typeof text.endMany, sessions: readonly SessionRecord[]) =>
    asking(text.endMany[which], { number: sessions.length }, () => endAll(sessions), { isDangerous: true });
  const fetched = useFetched('api/sessions', (body) =>
    recordsIn<SessionRecord>(body).toSorted((one, other) => one.user.localeCompare(other.user)),
  );
  const others = valueOr(fetched[0], []).filter(({ current }) => !current);
  const own = others.filter(({ user }) => user === profile.username);
  return (
    <ResourcePage
      title={text.title}
      lead={isAdmin(profile) ? text.leadAdmin : text.lead}
      none={text.none}
      fetched={fetched}
      pageActs={[
        ...(own.length > 0 ? [endMany('own', own)] : []),
        ...(others.length > own.length ? [endMany('allUsers', others)] : []),
      ]}
      keyOf={({ id }) => id}
      columns={[
        {
          title: words.ledger.notices.device,
          text: sessionDevice,
          more: ({ current, name, agent }) => (
            <>
              {current && <Badge text={text.this} kind="strong" />}
              {name !== null && <bdi class="fact-more">{deviceName(agent)}</bdi>}
            </>
          ),
        },
        { title: text.address, text: ({ address }) => address },
        { title: text.since, at: ({ since }) => since, isDescendingFirst: true },
        { title: text.lastSeen, at: ({ last_seen }) => last_seen, isDescendingFirst: true },
      ]}
      groupOf={isAdmin(profile) ? ({ user }) => user : undefined}
      acts={(session) => [
        // The name is that of the browser on this kind of device, and outlives the session.
        renaming(
          pathOf(session),
          session.name ?? '',
          { title: text.nameOf({ device: deviceName(session.agent) }), done: text.named },
          { help: text.nameHelp, isOptional: true },
        ),
        ...(session.current
          ? []
          : [removal(text.end, { ...session, device: sessionDevice(session) }, pathOf(session))]),
      ]}
    />
  );
}

/** All sessions of another person, as an admin. */
export async function endSessionsOf(user: string): Promise<ApiResponse | undefined> {
  const response = await getFromApi('api/sessions');
  return response.kind === 'ok'
    ? endAll(recordsIn<SessionRecord>(response.body).filter((session) => session.user === user))
    : response;
}

const endAll = (sessions: readonly SessionRecord[]) => inTurn(sessions, (one) => sendToApi('DELETE', pathOf(one)));
