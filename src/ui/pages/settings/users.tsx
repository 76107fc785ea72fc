/** Settings > Users: accounts and their roles, open invitations, and guests whose accounts are gone (interface 1, 2.1; SPEC 8). */

import { useProfile } from '../shared/account.ts';
import type { AnswerOf } from '../shared/answers.ts';
import { Opener } from '../shared/forms.tsx';
import { MoreRecords, pathTo, RecordsPage, removal } from '../shared/records-page.tsx';
import { useList, valueOr } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { NewUser } from './user-forms.tsx';
import { UserTable } from './user-table.tsx';

export function Users() {
  const [users, again] = useList('api/users');
  const [roles] = useList('api/roles');
  const [invitations, againInvitations] = useList('api/invitations');
  const [closed] = useList('api/closed-guests');
  const choices = {
    known: valueOr(users, []),
    roles: valueOr(roles, []),
    cameras: useProfile().allowed_cameras.length,
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
function ClosedGuests({ guests }: { guests: readonly AnswerOf<'CLOSED_GUEST'>[] }) {
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
