/** Settings > Users: accounts and their roles (interface 1, 2.1; SPEC 8). */
import type { Profile } from '../../shared/account/profile.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import {
  type ClosedGuestRecord,
  type InvitationRecord,
  type RoleRecord,
  recordsIn,
  type UserRecord,
} from '../account-records.ts';
import { SetValidity } from '../limits/validity.tsx';
import { InviteUser, type ListedLink, MadeLink, ResetLink } from '../link-forms.tsx';
import { RecordsPage } from '../records.tsx';
import { useForm } from '../use-form.ts';
import { useViewAs } from '../use-view-as.ts';
import { ClosedGuests } from './closed-guests.tsx';
import { OpenInvitations, RevokeInvitation } from './open-invitations.tsx';
import { GiveBackRole, PinRole } from './role-source.tsx';
import { AddUser, DeleteUser, RemoveFactor, ResetPassword, SetRole } from './user-forms.tsx';
import { type OfUser, UserTable } from './user-table.tsx';

type OpenUserForm =
  | { readonly kind: 'add' | 'invite' }
  | { readonly kind: OfUser; readonly user: UserRecord }
  | { readonly kind: 'made'; readonly link: ListedLink }
  | { readonly kind: 'revoke'; readonly invitation: InvitationRecord };

/** A user who is no admin any more sees other pages: reload. */
const ANEW = { onDone: () => location.reload() };

export function Users({ profile }: { profile: Profile }) {
  const [users, again] = useFetched('api/users', recordsIn<UserRecord>);
  const [roles] = useFetched('api/roles', recordsIn<RoleRecord>);
  const [invitations, againInvitations] = useFetched('api/invitations', recordsIn<InvitationRecord>);
  const [closed] = useFetched('api/closed-guests', recordsIn<ClosedGuestRecord>);
  const { form, open, done, ...shared } = useForm<OpenUserForm>(() => {
    again();
    againInvitations();
  });
  const onMade = (link: ListedLink): void => {
    shared.onDone(words.invitations.done({ name: link.user }));
    open({ kind: 'made', link });
  };
  /** Closes the dialog, unless the link was made: the dialog with the link has replaced it then. */
  const closeMaking = (): void => open((was) => (was?.kind === 'made' ? was : undefined));
  const viewAs = useViewAs();
  const roleRecords = roles.kind === 'ready' ? roles.value : [];
  const choices = { roles: roleRecords, cameras: profile.cameras.length };
  return (
    <RecordsPage
      title={words.users.title}
      lead={words.users.lead}
      done={done}
      // Their cameras come with the roles: rows that grow would push the others away.
      fetched={roles.kind === 'loading' ? roles : users}
      onRetry={again}
      actions={
        <p class="page-actions">
          <button class="button" type="button" onClick={() => open({ kind: 'invite' })}>
            {words.invitations.invite}
          </button>
          <button class="button button-strong" type="button" onClick={() => open({ kind: 'add' })}>
            {words.users.add}
          </button>
        </p>
      }
    >
      {(known) => (
        <>
          <UserTable
            users={known}
            {...{ roles: roleRecords, profile }}
            onOpen={(kind, user) => (kind === 'view-as' ? viewAs(user.username) : open({ kind, user }))}
          />
          {invitations.kind === 'ready' && (
            <OpenInvitations
              invitations={invitations.value}
              onRevoke={(invitation) => open({ kind: 'revoke', invitation })}
            />
          )}
          {closed.kind === 'ready' && <ClosedGuests guests={closed.value} />}
          {form?.kind === 'invite' && <InviteUser {...{ known, onMade }} {...choices} onClose={closeMaking} />}
          {form?.kind === 'link' && <ResetLink user={form.user} {...{ onMade }} onClose={closeMaking} />}
          {form?.kind === 'made' && <MadeLink link={form.link} onClose={shared.onClose} />}
          {form?.kind === 'revoke' && <RevokeInvitation {...shared} invitation={form.invitation} />}
          {form?.kind === 'add' && <AddUser {...shared} {...choices} known={known} />}
          {form?.kind === 'role' && (
            <SetRole {...shared} {...(form.user.username === profile.name ? ANEW : {})} user={form.user} {...choices} />
          )}
          {form?.kind === 'pin' && <PinRole {...shared} user={form.user} />}
          {form?.kind === 'give-back' && <GiveBackRole {...shared} user={form.user} />}
          {form?.kind === 'validity' && <SetValidity {...shared} user={form.user} />}
          {form?.kind === 'password' && <ResetPassword {...shared} user={form.user} />}
          {form?.kind === 'factor' && <RemoveFactor {...shared} user={form.user} />}
          {form?.kind === 'delete' && <DeleteUser {...shared} user={form.user} />}
        </>
      )}
    </RecordsPage>
  );
}
