/** Settings > Users: accounts and their roles, open invitations, and guests whose accounts are gone (interface 1, 2.1; SPEC 8). */
import type { Profile } from '../shared/account.ts';
import type { ClosedGuestRecord, InvitationRecord, RoleRecord, UserRecord } from '../shared/answers.ts';
import { Opener } from '../shared/forms.tsx';
import { MoreRecords, pathTo, RecordsPage, removal } from '../shared/records-page.tsx';
import { recordsIn } from '../shared/untrusted.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { NewUser } from './user-forms.tsx';
import { UserTable } from './user-table.tsx';

export function Users({ profile }: { profile: Profile }) {
  const [users, again] = useFetched('api/users', recordsIn<UserRecord>);
  const [roles] = useFetched('api/roles', recordsIn<RoleRecord>);
  const [invitations, againInvitations] = useFetched('api/invitations', recordsIn<InvitationRecord>);
  const [closed] = useFetched('api/closed-guests', recordsIn<ClosedGuestRecord>);
  const choices = {
    known: users.kind === 'ready' ? users.value : [],
    roles: roles.kind === 'ready' ? roles.value : [],
    cameras: profile.cameras.length,
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
      actions={
        <p class="page-actions">
          <Opener dialog={() => <NewUser {...choices} isInvited />}>{words.invitations.invite}</Opener>
          <Opener kind="strong" dialog={() => <NewUser {...choices} />}>
            {words.users.add}
          </Opener>
        </p>
      }
    >
      {() => (
        <>
          <UserTable {...choices} profile={profile} />
          {invitations.kind === 'ready' && <OpenInvitations invitations={invitations.value} />}
          {closed.kind === 'ready' && <ClosedGuests guests={closed.value} />}
        </>
      )}
    </RecordsPage>
  );
}

/** Links for new passwords that were not used yet (SPEC 12). */
function OpenInvitations({ invitations }: { readonly invitations: readonly InvitationRecord[] }) {
  const text = words.invitations;
  if (invitations.length === 0) return null;
  return (
    <MoreRecords
      id="invitations-title"
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
function ClosedGuests({ guests }: { readonly guests: readonly ClosedGuestRecord[] }) {
  const text = words.oidc.guests;
  if (guests.length === 0) return null;
  return (
    <MoreRecords
      id="closed-guests-title"
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
