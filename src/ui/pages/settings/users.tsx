/** Settings > Users: accounts and their roles (interface 1, 2.1; SPEC 8). */
import type { Profile } from '../console/profile.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { type InvitationRecord, readInvitations, readRoles, readUsers, type UserRecord } from './account-records.ts';
import { guestText, SetValidity } from './limits/validity.tsx';
import { InviteUser, type Link, MadeLink, ResetLink } from './link-forms.tsx';
import { OpenInvitations, RevokeInvitation } from './open-invitations.tsx';
import { Badge, RecordItem, Records, RecordsPage } from './records.tsx';
import { useForm } from './use-form.ts';
import { AddUser, DeleteUser, RemoveFactor, ResetPassword, SetRole } from './user-forms.tsx';

type OfUser = 'role' | 'validity' | 'password' | 'link' | 'factor' | 'delete';
type OpenForm =
  | { readonly kind: 'add' | 'invite' }
  | { readonly kind: OfUser; readonly user: UserRecord }
  | { readonly kind: 'made'; readonly link: Link }
  | { readonly kind: 'revoke'; readonly invitation: InvitationRecord };

/** The recorder's own pages expect this one to be there, as an admin; the API refuses to change it. */
const FIXED_USER = 'admin';

/** A user who is no admin any more sees other pages: reload. */
const ANEW = { onDone: () => location.reload() };

export function Users({ profile }: { profile: Profile }) {
  const [users, again] = useFetched('api/users', readUsers);
  const [roles] = useFetched('api/roles', readRoles);
  const [invitations, againInvitations] = useFetched('api/invitations', readInvitations);
  const { form, open, done, ...shared } = useForm<OpenForm>(() => {
    again();
    againInvitations();
  });
  const onMade = (link: Link): void => {
    shared.onDone(words.links.done(link.user));
    open({ kind: 'made', link });
  };
  /** After the link is made, its dialog has replaced this one. */
  const closeMaking = (): void => open((was) => (was?.kind === 'made' ? was : undefined));
  const roleNames = roles.kind === 'ready' ? roles.value.map(({ role }) => role) : ['admin', 'viewer'];
  return (
    <RecordsPage
      title={words.users.title}
      lead={words.users.lead}
      done={done}
      fetched={users}
      onRetry={again}
      actions={
        <p class="page-actions">
          <button class="button" type="button" onClick={() => open({ kind: 'invite' })}>
            {words.links.invite}
          </button>
          <button class="button button-strong" type="button" onClick={() => open({ kind: 'add' })}>
            {words.users.add}
          </button>
        </p>
      }
    >
      {(known) => (
        <>
          <Records>
            {known.map((user) => (
              <UserItem key={user.name} {...{ user, known, profile }} onOpen={(kind) => open({ kind, user })} />
            ))}
          </Records>
          {invitations.kind === 'ready' && (
            <OpenInvitations
              invitations={invitations.value}
              onRevoke={(invitation) => open({ kind: 'revoke', invitation })}
            />
          )}
          {form?.kind === 'invite' && <InviteUser {...{ known, onMade }} roles={roleNames} onClose={closeMaking} />}
          {form?.kind === 'link' && <ResetLink user={form.user} {...{ onMade }} onClose={closeMaking} />}
          {form?.kind === 'made' && <MadeLink link={form.link} onClose={shared.onClose} />}
          {form?.kind === 'revoke' && <RevokeInvitation {...shared} invitation={form.invitation} />}
          {form?.kind === 'add' && <AddUser {...shared} roles={roleNames} known={known} />}
          {form?.kind === 'role' && (
            <SetRole
              {...shared}
              {...(form.user.name === profile.name ? ANEW : {})}
              user={form.user}
              roles={roleNames}
            />
          )}
          {form?.kind === 'validity' && <SetValidity {...shared} user={form.user} />}
          {form?.kind === 'password' && <ResetPassword {...shared} user={form.user} />}
          {form?.kind === 'factor' && <RemoveFactor {...shared} user={form.user} />}
          {form?.kind === 'delete' && <DeleteUser {...shared} user={form.user} />}
        </>
      )}
    </RecordsPage>
  );
}

interface UserItemProps {
  readonly user: UserRecord;
  readonly known: readonly UserRecord[];
  readonly profile: Profile;
  readonly onOpen: (kind: OfUser) => void;
}

function UserItem({ user, known, profile, onOpen }: UserItemProps) {
  const why = whyItStays(user, known);
  const guest = guestText(user, Date.now() / 1000);
  const action = (kind: OfUser, text: string, isOpen = true) => (
    <button
      class="button button-small"
      type="button"
      disabled={!isOpen}
      title={isOpen ? undefined : why}
      aria-label={`${text}: ${user.name}`}
      onClick={() => onOpen(kind)}
    >
      {text}
    </button>
  );
  return (
    <RecordItem
      name={user.name}
      badges={
        <>
          {user.name === profile.name && <Badge text={words.users.you} />}
          {user.hasFactor && <Badge text={words.twoStep.title} />}
        </>
      }
      facts={[
        [words.common.role, <Badge key="role" text={user.role} kind={user.role === 'admin' ? 'strong' : 'plain'} />],
        ...(guest === undefined ? [] : [[words.users.guest, guest] as const]),
        [words.users.access, <AccessOf key="access" role={user.role} why={why} />],
      ]}
      actions={
        <>
          {action('role', words.users.changeRole, why === undefined)}
          {action('validity', words.users.validity, why === undefined)}
          {/* The own password needs the current one: Settings > Password asks for it. */}
          {user.name !== profile.name && action('password', words.users.resetPassword)}
          {user.name !== profile.name && action('link', words.links.reset)}
          {user.hasFactor && user.name !== profile.name && action('factor', words.users.removeFactor)}
          {action('delete', words.users.delete, why === undefined)}
        </>
      }
    />
  );
}

function whyItStays({ name, role }: UserRecord, known: readonly UserRecord[]): string | undefined {
  if (name === FIXED_USER) return words.users.fixedAdmin;
  const lasting = known.filter((user) => user.role === 'admin' && !user.validFrom && !user.validUntil);
  return role === 'admin' && lasting.every((user) => user.name === name) ? words.users.lastAdmin : undefined;
}

const AccessOf = ({ role, why }: { role: string; why: string | undefined }) => (
  <>
    {accessOf(role)}
    {why !== undefined && <span class="fact-more">{why}</span>}
  </>
);

function accessOf(role: string): string {
  if (role === 'admin') return words.users.adminAccess;
  return role === 'viewer' ? words.users.viewerAccess : words.users.customAccess;
}
