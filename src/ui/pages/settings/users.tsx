/** Settings > Users: accounts and what can be done with each, open invitations, and guests whose accounts are gone (interface 1, 2.1; SPEC 4.3, 8, 16). */

import { useSearch } from 'wouter-preact';
import { useNameableCameras, useProfile } from '../shared/account.ts';
import type { AnswerOf, RoleRecord, UserRecord } from '../shared/answers.ts';
import { sendToApi, together, useList, valueOr } from '../shared/api.ts';
import { type Act, asking, removal } from '../shared/forms.tsx';
import { useViewAs } from '../shared/parts.tsx';
import { Badge, MoreRecords, pathTo, ResourcePage } from '../shared/records-page.tsx';
import { formatShortMoment, words } from '../shared/words.ts';
import { guestText } from './limits.tsx';
import { BUILT_IN, DeleteUsers, NewUser, ResetPassword, resetting, SetRole, SetValidity } from './user-forms.tsx';

/** The recorder's own pages expect this one to be there, as an admin; the API refuses to change it. */
const FIXED_USER = 'admin';

export function Users() {
  const [users, again] = useList<UserRecord>('api/users');
  const [roleList, againRoles] = useList<RoleRecord>('api/roles');
  const [invitations, againInvitations] = useList<AnswerOf<'INVITATION'>>('api/invitations');
  const [closed] = useList<AnswerOf<'CLOSED_GUEST'>>('api/closed-guests');
  const [known, roles, cameras] = [valueOr(users, []), valueOr(roleList, BUILT_IN), useNameableCameras()];
  // A role may have been made for a person.
  const readAgain = together(again, againRoles, againInvitations);
  const profile = useProfile();
  const text = words.users;
  const why = whyOneStays(known);
  const noteOn = (user: UserRecord): string => {
    const provider = roleGiver(user);
    return [provider && text.givenBy({ provider }), why(user)].filter(Boolean).join(' · ');
  };
  const isOwn = ({ username }: UserRecord): boolean => username === profile.username;
  /** What can be done with one, or with several at once. */
  const commonActs = (users: readonly UserRecord[], why?: string) => ({
    role: {
      text: text.changeRole,
      why,
      dialog: () => <SetRole {...{ users, isOwn: users.some(isOwn), roles, cameras }} />,
    },
    validity: { text: text.validity, why, dialog: () => <SetValidity users={users} /> },
    farewell: { text: text.delete, why, isDangerous: true, dialog: () => <DeleteUsers users={users} /> },
  });
  const viewAs = useViewAs();
  const invite = (invited: 'user' | 'guest') => <NewUser {...{ known, roles, cameras, invited }} />;
  return (
    <ResourcePage
      title={text.title}
      lead={text.lead}
      // Their cameras come with the roles: rows that grow would push the others away.
      fetched={[roleList.kind === 'loading' ? roleList : users, readAgain]}
      pageActs={[
        { text: text.add, dialog: () => <NewUser {...{ known, roles, cameras }} /> },
        { text: words.invitations.invite, kind: 'strong', dialog: () => invite('user') },
      ]}
      // The button of Live leads here, from cameras to their guest.
      first={useSearch() === 'invite' ? invite('guest') : undefined}
      keyOf={({ username }) => username}
      columns={[
        {
          title: words.ui.common.user,
          text: ({ username }) => username,
          more: (user) => (
            <>
              {isOwn(user) && <Badge text={text.you} />}
              {/* What has columns of its own where there is room. */}
              <span class="narrow-only">
                {user.second_factor && <Badge text={words.secondFactor.title} />}
                {guestText(user) && <Badge text={guestText(user) ?? ''} />}
              </span>
            </>
          ),
        },
        {
          title: words.ui.common.role,
          text: ({ role }) => role,
          cell: ({ role }) => <Badge text={role} kind={role === 'admin' ? 'strong' : 'plain'} />,
          note: noteOn,
        },
        {
          title: words.ui.common.cameras,
          cameras: (user) => roles.find(({ role }) => role === user.role)?.cameras ?? [],
        },
        {
          title: words.secondFactor.title,
          sortBy: ({ second_factor }) => Number(second_factor ?? false),
          cell: ({ second_factor }) => (second_factor ? words.ui.common.yes : words.ui.common.no),
        },
        { title: text.validity, text: guestText, sortBy: ({ valid_until }) => valid_until },
        {
          title: text.lastLogin,
          at: ({ last_login_at }) => last_login_at,
          none: text.noLogin,
        },
      ]}
      firstSort={{ key: words.ui.common.user, isDescending: false }}
      searchText={({ username, role, sign_ins = [] }) => [username, role, ...sign_ins].join(' ')}
      acts={(user) => {
        const stays = why(user);
        const { role, validity, farewell } = commonActs([user], stays);
        return [
          role,
          { text: words.viewAs.beginShort, onAct: () => viewAs(user.username) },
          ...(stays === undefined ? sourceActs(user) : []),
          validity,
          // The own password needs the current one: Settings > Password asks for it.
          ...(isOwn(user) ? [] : othersActs(user)),
          farewell,
        ];
      }}
      several={(users) => Object.values(commonActs(users))}
      isAlone={(user) => why(user) !== undefined}
      kinds={[
        { text: text.filters.guests, holds: (user) => guestText(user) !== undefined },
        { text: text.filters.noFactor, holds: ({ second_factor }) => !second_factor },
        { text: text.filters.neverIn, holds: ({ last_login_at }) => last_login_at === undefined },
        { text: text.filters.admins, holds: ({ role }) => role === 'admin' },
      ]}
      // What a row of two lines has no room for.
      menuNote={(user) => (
        <>
          {text.lastLogin}: {user.last_login_at === undefined ? text.noLogin : formatShortMoment(user.last_login_at)}
          <span class="fact-more">{noteOn(user)}</span>
        </>
      )}
      narrow="two-lines"
    >
      {/* Links for new passwords that were not used yet (SPEC 12). */}
      <MoreRecords
        lead={words.invitations.openWhat}
        caption={words.invitations.open}
        rows={valueOr(invitations, [])}
        keyOf={({ user }) => user}
        columns={[
          { title: words.ui.common.user, text: ({ user }) => user },
          { title: words.invitations.madeBy, text: ({ made_by }) => made_by },
          { title: words.invitations.made, at: ({ created_at }) => created_at },
          { title: words.invitations.ends, at: ({ expires_at }) => expires_at },
        ]}
        acts={({ user: name }) => [
          removal(words.invitations.revoke, { name }, pathTo('api/users', name, '/invitation')),
        ]}
      />
      {/* Guests of providers whose accounts are gone: a login makes none anew (SPEC 13). */}
      <MoreRecords
        lead={
          <>
            {text.guests.what} <code>postern users sign-ins forget</code>
          </>
        }
        caption={text.guests.title}
        rows={valueOr(closed, [])}
        keyOf={({ provider, subject }) => `${provider} ${subject}`}
        columns={[
          { title: text.guests.provider, text: ({ provider }) => provider },
          { title: text.guests.subject, text: ({ subject }) => subject },
          { title: text.guests.knownUntil, at: ({ known_until }) => known_until },
        ]}
      />
    </ResourcePage>
  );
}

/** The provider that gives the role; undefined for Postern itself. */
const roleGiver = ({ role_source: source }: UserRecord): string | undefined =>
  source === 'postern' ? undefined : source;

/** The role is kept against its provider, or given back to it; neither for an account without a provider, or without a role. */
function sourceActs(user: UserRecord): readonly Act[] {
  const { username: name, role } = user;
  const { pin, giveBack } = words.users;
  const provider = roleGiver(user);
  const change = (body: object) => () => sendToApi('PUT', pathTo('api/users', name, '/role'), body);
  if (provider === undefined) return user.sign_ins ? [asking(giveBack, { name }, change({ source: 'provider' }))] : [];
  return role === 'none' ? [] : [asking(pin, { name, role, provider }, change({ role }))];
}

function othersActs(user: UserRecord): readonly Act[] {
  const { username: name, second_factor: hasFactor = false } = user;
  const { resetPassword, removeFactor } = words.users;
  // Loaded then: the first view of this page does without it.
  const endSessions = async () => (await import('./sessions.tsx')).endSessionsOf(name);
  return [
    resetting(name),
    { text: resetPassword, dialog: () => <ResetPassword user={user} /> },
    ...(hasFactor ? [removal(removeFactor, { name }, pathTo('api/users', name, '/second-factor'))] : []),
    asking(words.sessions.endUser, { name }, endSessions, { isDangerous: true }),
  ];
}

/** Why the role of a user cannot be changed, nor the user deleted. */
function whyOneStays(users: readonly UserRecord[]): (user: UserRecord) => string | undefined {
  const lasting = users.filter(
    (user) => user.role === 'admin' && !user.valid_from && !user.valid_until && !roleGiver(user),
  );
  return ({ username: name, role }) => {
    if (name === FIXED_USER) return words.users.fixedAdmin;
    return role === 'admin' && lasting.every((user) => user.username === name) ? words.users.lastAdmin : undefined;
  };
}
