/** Settings > Users: accounts and what can be done with each, open invitations, and guests whose accounts are gone (interface 1, 2.1; SPEC 4.3, 8, 16). */

import type { ComponentProps } from 'preact';
import { useLocation } from 'wouter-preact';
import { useNameableCameras, useProfile } from '../shared/account.ts';
import type { AnswerOf, RoleRecord, UserRecord } from '../shared/answers.ts';
import { sendToApi, VIEW_AS_PATH, wantViewAs } from '../shared/api.ts';
import type { Act } from '../shared/forms.tsx';
import { RecordTable } from '../shared/record-table.tsx';
import { Badge, MoreRecords, pathTo, RecordsPage, removal } from '../shared/records-page.tsx';
import { useList, valueOr } from '../shared/use-fetched.ts';
import { formatShortMoment, words } from '../shared/words.ts';
import { guestText } from './limits.tsx';
import { madeLink, makeLink, NewUser, ResetPassword, SetRole, SetValidity } from './user-forms.tsx';

export function Users() {
  const [users, again] = useList('api/users');
  const [roles] = useList('api/roles');
  const [invitations, againInvitations] = useList('api/invitations');
  const [closed] = useList('api/closed-guests');
  const choices = {
    known: valueOr(users, []),
    roles: valueOr(roles, []),
    cameras: useNameableCameras(),
  };
  const readAgain = (): void => {
    again();
    againInvitations();
  };
  return (
    <RecordsPage
      title={words.users.title}
      lead={words.users.lead}
      // Their cameras come with the roles: rows that grow would push the others away.
      fetched={[roles.kind === 'loading' ? roles : users, readAgain]}
      acts={[
        { text: words.invitations.invite, dialog: () => <NewUser {...choices} isInvited /> },
        { text: words.users.add, kind: 'strong', dialog: () => <NewUser {...choices} /> },
      ]}
    >
      {() => (
        <>
          <UserTable {...choices} />
          <OpenInvitations invitations={valueOr(invitations, [])} />
          <ClosedGuests guests={valueOr(closed, [])} />
        </>
      )}
    </RecordsPage>
  );
}

/** Links for new passwords that were not used yet (SPEC 12). */
function OpenInvitations({ invitations }: { invitations: readonly AnswerOf<'INVITATION'>[] }) {
  const text = words.invitations;
  if (invitations.length === 0) return null;
  return (
    <MoreRecords
      lead={<p>{text.openWhat}</p>}
      caption={text.open}
      rows={invitations}
      keyOf={({ user }) => user}
      columns={[
        { title: words.ui.common.user, text: ({ user }) => user },
        { title: text.madeBy, text: ({ made_by }) => made_by },
        { title: text.made, at: ({ created_at }) => created_at, isDescendingFirst: true },
        { title: text.ends, at: ({ expires_at }) => expires_at },
      ]}
      acts={({ user: name }) => [
        removal(text.revoke, pathTo('api/users', name, '/invitation'), {
          title: text.revokeOne({ name }),
          what: text.revokeWhat,
          done: text.revoked({ name }),
        }),
      ]}
    />
  );
}

/** Guests of providers whose accounts are gone: a login makes none anew (SPEC 13). */
function ClosedGuests({ guests }: { guests: readonly AnswerOf<'CLOSED_GUEST'>[] }) {
  const text = words.oidc.guests;
  if (guests.length === 0) return null;
  return (
    <MoreRecords
      lead={
        <>
          <p>{text.what}</p>
          <p>
            <code>postern users sign-ins forget</code>
          </p>
        </>
      }
      caption={text.title}
      rows={guests}
      keyOf={({ provider, subject }) => `${provider} ${subject}`}
      columns={[
        { title: words.oidc.signIns.provider, text: ({ provider }) => provider },
        { title: text.subject, text: ({ subject }) => subject },
        { title: text.knownUntil, at: ({ known_until }) => known_until },
      ]}
    />
  );
}

/** The recorder's own pages expect this one to be there, as an admin; the API refuses to change it. */
const FIXED_USER = 'admin';

function UserTable({ known, roles, cameras }: ComponentProps<typeof NewUser>) {
  const profile = useProfile();
  const text = words.users;
  const why = whyOneStays(known);
  const viewAs = useViewAs();
  return (
    <RecordTable
      caption={text.title}
      rows={known}
      keyOf={({ username }) => username}
      columns={[
        {
          title: words.ui.common.user,
          text: ({ username }) => username,
          more: (user) => (
            <>
              {user.username === profile.username && <Badge text={text.you} />}
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
          cell: (user) => (
            <>
              <Badge text={user.role} kind={user.role === 'admin' ? 'strong' : 'plain'} />
              <FactLines texts={[givenBy(user), why(user)]} />
            </>
          ),
        },
        { title: words.ui.common.cameras, cameras: ({ role }) => roleCameras(role, roles) },
        {
          title: words.secondFactor.title,
          sortBy: ({ second_factor }) => Number(second_factor ?? false),
          isDescendingFirst: true,
          cell: ({ second_factor }) => (second_factor ? words.ui.common.yes : words.ui.common.no),
        },
        {
          title: text.validity,
          sortBy: ({ valid_until }) => valid_until,
          cell: (user) => guestText(user) ?? '–',
        },
        {
          title: text.lastLogin,
          sortBy: ({ last_login_at }) => last_login_at,
          isDescendingFirst: true,
          cell: lastLogin,
        },
      ]}
      firstSort={{ key: words.ui.common.user, isDescending: false }}
      searchText={({ username, role, sign_ins = [] }) => [username, role, ...sign_ins].join(' ')}
      acts={(user) => {
        const isOwn = user.username === profile.username;
        const stays = why(user);
        return [
          { text: text.changeRole, why: stays, dialog: () => <SetRole {...{ user, isOwn, roles, cameras }} /> },
          { text: words.viewAs.beginShort, onAct: () => viewAs(user.username) },
          ...(stays === undefined ? sourceActs(user) : []),
          { text: text.validity, why: stays, dialog: () => <SetValidity user={user} /> },
          // The own password needs the current one: Settings > Password asks for it.
          ...(isOwn ? [] : othersActs(user)),
          {
            text: text.delete,
            why: stays,
            isDangerous: true,
            asks: {
              title: text.deleteTitle({ name: user.username }),
              what: text.deleteWhat,
              onSubmit: () => sendToApi('POST', 'api/users/delete', { name: user.username }),
              done: text.deleted({ name: user.username }),
            },
          },
        ];
      }}
      // What a row of two lines has no room for.
      menuNote={(user) => (
        <>
          {text.lastLogin}: {lastLogin(user)}
          <FactLines texts={[givenBy(user), why(user)]} />
        </>
      )}
      narrow="two-lines"
    />
  );
}

/** The provider that gives the role; undefined for Postern itself. */
const roleGiver = ({ role_source: source }: UserRecord): string | undefined =>
  source === 'postern' ? undefined : source;

/** The role is kept against its provider, or given back to it; neither for an account without a provider, or without a role. */
function sourceActs(user: UserRecord): readonly Act[] {
  const { username: name, role } = user;
  const provider = roleGiver(user);
  const change = (body: object) => sendToApi('PUT', pathTo('api/users', name, '/role'), body);
  const giveBack: Act['asks'] = {
    title: words.users.giveBackTitle({ name }),
    what: words.users.giveBackWhat,
    onSubmit: () => change({ source: 'provider' }),
    done: words.users.givenBack({ name }),
  };
  if (provider === undefined) return user.sign_ins ? [{ text: words.users.giveBack, asks: giveBack }] : [];
  const pin: Act['asks'] = {
    title: words.users.pinTitle({ name }),
    what: words.users.pinWhat({ role, provider }),
    onSubmit: () => change({ role }),
    done: words.users.pinned({ name, role }),
  };
  return role === 'none' ? [] : [{ text: words.users.pin, asks: pin }];
}

function othersActs(user: UserRecord): readonly Act[] {
  const { username: name, second_factor: hasFactor = false } = user;
  const reset: Act['asks'] = {
    title: words.invitations.resetTitle({ name }),
    submit: words.invitations.create,
    what: words.invitations.resetWhat,
    onSubmit: () => makeLink(name, {}),
    done: words.invitations.done({ name }),
    next: madeLink,
  };
  const { endUser } = words.sessions;
  const endSessions: Act['asks'] = {
    title: endUser.title({ name }),
    what: endUser.what,
    // Loaded then: the first view of this page does without it.
    onSubmit: async () => (await import('./sessions.tsx')).endSessionsOf(name),
    done: endUser.done({ name }),
  };
  const removeFactor = removal(words.users.removeFactor, pathTo('api/users', name, '/second-factor'), {
    title: words.users.removeFactorTitle({ name }),
    what: words.users.removeFactorWhat,
    done: words.users.factorRemoved({ name }),
  });
  return [
    { text: words.invitations.reset, asks: reset },
    { text: words.users.resetPassword, dialog: () => <ResetPassword user={user} /> },
    ...(hasFactor ? [removeFactor] : []),
    { text: endUser.act, isDangerous: true, asks: endSessions },
  ];
}

/** Goes to the view of another person. */
export function useViewAs(): (name: string) => void {
  const [, navigate] = useLocation();
  return (name) => {
    wantViewAs(name);
    navigate(VIEW_AS_PATH);
  };
}

const FactLines = ({ texts }: { readonly texts: readonly (string | undefined)[] }) =>
  texts.map((text) => text !== undefined && <span class="fact-more">{text}</span>);

const givenBy = (user: UserRecord): string | undefined => {
  const provider = roleGiver(user);
  return provider === undefined ? undefined : words.users.givenBy({ provider });
};

const lastLogin = ({ last_login_at: at }: UserRecord): string =>
  at === undefined ? words.users.noLogin : formatShortMoment(at);

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

function roleCameras(role: string, roles: readonly RoleRecord[]): readonly string[] {
  if (role === 'admin' || role === 'viewer') return ['*'];
  return roles.find((known) => known.role === role)?.cameras ?? [];
}
