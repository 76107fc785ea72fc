/** Settings > Sessions: lists the logged-in browsers and apps, and ends sessions (SPEC 4.2). */
import { isAdmin, useProfile } from '../shared/account.ts';
import type { SessionRecord } from '../shared/answers.ts';
import { type ApiResponse, getFromApi, inTurn, sendToApi, useFetched, valueOr } from '../shared/api.ts';
import { isPhone } from '../shared/browser.ts';
import { Acts, asking } from '../shared/forms.tsx';
import { Icon, type IconName } from '../shared/parts.tsx';
import { Badge, pathTo, ResourcePage, renaming } from '../shared/records-page.tsx';
import { recordsIn } from '../shared/untrusted.ts';
import { deviceName, formatAgo, words } from '../shared/words.ts';

const nameOf = ({ name, agent }: SessionRecord): string => name ?? deviceName(agent);
const pathOf = ({ id }: SessionRecord): string => pathTo('api/sessions', id);

// biome-ignore format: a table
const ICONS: readonly (readonly [pattern: RegExp, icon: IconName])[] = [
  [/\bTV\b|SmartTV|Tizen|Web0S|BRAVIA|AFT/,   'television'],
  [/iPhone|iPod|iPad|Android|Mobile/,        'phone'],
  [/Windows|Mac OS X|CrOS|Linux|X11/,        'computer'],
];

export function Sessions() {
  const profile = useProfile();
  const text = words.sessions;
  /** The own ones, or those of every user. This session stays in both cases. */
  const endMany = (which: keyof typeof text.endMany, sessions: readonly SessionRecord[]) => ({
    ...asking(text.endMany[which], { number: sessions.length }, () => endAll(sessions), { isDangerous: true }),
    // The question alone is red.
    isDangerous: false,
  });
  const isOwn = ({ user }: SessionRecord): boolean => user === profile.username;
  const rank = (session: SessionRecord): number => Number(isOwn(session)) + Number(session.current);
  /** The own ones first, this one before them, and of each person the latest. */
  const fetched = useFetched('api/sessions', (body) =>
    recordsIn<SessionRecord>(body).toSorted(
      (one, other) => rank(other) - rank(one) || one.user.localeCompare(other.user) || other.last_seen - one.last_seen,
    ),
  );
  const others = valueOr(fetched[0], []).filter(({ current }) => !current);
  const own = others.filter(isOwn);
  const pageActs = [
    ...(own.length > 0 ? [endMany('own', own)] : []),
    ...(others.length > own.length ? [endMany('allUsers', others)] : []),
  ];
  return (
    <ResourcePage
      title={text.title}
      lead={isAdmin(profile) ? text.leadAdmin : text.lead}
      none={text.none}
      fetched={fetched}
      pageActs={isPhone() ? [] : pageActs}
      columns={[
        {
          title: text.device,
          text: nameOf,
          cell: (session) => (
            <>
              <Icon name={ICONS.find(([of]) => of.test(session.agent))?.[1] ?? 'program'} />{' '}
              <bdi>{nameOf(session)}</bdi>
            </>
          ),
          more: ({ current }) => current && <Badge text={text.this} kind="strong" />,
          note: ({ name, agent, address }) => (name === null ? address : `${deviceName(agent)} · ${address}`),
        },
        {
          title: text.lastSeen,
          at: ({ last_seen }) => last_seen,
          cell: ({ last_seen }) => formatAgo(Date.now() / 1000 - last_seen),
        },
        { title: text.since, at: ({ since }) => since },
      ]}
      rowOrder={isAdmin(profile) ? words.ui.common.user : text.lastSeen}
      narrow="line"
      groupOf={isAdmin(profile) ? ({ user }) => user : undefined}
      acts={(session) => [
        // The name is that of the browser on this kind of device, and outlives the session.
        renaming(
          pathOf(session),
          session.name ?? '',
          { title: text.nameOf({ device: deviceName(session.agent) }), done: text.named },
          { help: text.nameHelp, isOptional: true },
        ),
        // A login undoes it: nothing is asked first.
        ...(session.current ? [] : [{ text: text.end.act, isDangerous: true, atOnce: ending(session) }]),
      ]}
    >
      {isPhone() && <Acts acts={pageActs} />}
    </ResourcePage>
  );
}

/** All sessions of another person, as an admin. */
export async function endSessionsOf(user: string): Promise<ApiResponse | undefined> {
  const response = await getFromApi('api/sessions');
  return response.kind === 'ok'
    ? endAll(recordsIn<SessionRecord>(response.body).filter((session) => session.user === user))
    : response;
}

const ending = (session: SessionRecord) => ({
  send: () => sendToApi('DELETE', pathOf(session)),
  done: `${words.sessions.end.done} ${words.sessions.end.what(session)}`,
});

const endAll = (sessions: readonly SessionRecord[]) => inTurn(sessions, (one) => ending(one).send());
