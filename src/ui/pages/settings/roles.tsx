/** Settings > Roles: which cameras each role sees, and who has it (interface 2.2; SPEC 4.3). */
import type { Profile } from '../console/profile.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { type RoleRecord, readRoles, readUsers, type UserRecord } from './account-records.ts';
import { limitFacts } from './limits/role-limits.tsx';
import { Badge, Names, RecordItem, Records, RecordsPage } from './records.tsx';
import { DeleteRole, EditRole } from './role-forms.tsx';
import { useForm } from './use-form.ts';

type OpenForm = { readonly kind: 'add' } | { readonly kind: 'edit' | 'delete'; readonly role: RoleRecord };

export function Roles({ profile, hasOwnLogin }: { profile: Profile; hasOwnLogin: boolean }) {
  const [roles, again] = useFetched('api/roles', readRoles);
  const [users, usersAgain] = useFetched(hasOwnLogin ? 'api/users' : undefined, readUsers);
  const { form, open, done, ...shared } = useForm<OpenForm>(() => {
    again();
    usersAgain();
  });
  const people = users.kind === 'ready' ? users.value : [];
  return (
    <RecordsPage
      title={words.roles.title}
      lead={words.roles.lead}
      done={done}
      fetched={roles}
      onRetry={again}
      actions={
        <button class="button button-strong" type="button" onClick={() => open({ kind: 'add' })}>
          {words.roles.add}
        </button>
      }
    >
      {(known) => (
        <>
          <Records>
            {known.map((role) => (
              <RoleItem key={role.role} {...{ role, people }} onOpen={(kind) => open({ kind, role })} />
            ))}
          </Records>
          {form?.kind === 'add' && <EditRole {...shared} known={known} cameras={profile.cameras} />}
          {form?.kind === 'edit' && <EditRole {...shared} role={form.role} known={known} cameras={profile.cameras} />}
          {form?.kind === 'delete' && (
            <DeleteRole {...shared} role={form.role} holders={holdersOf(form.role, people)} />
          )}
        </>
      )}
    </RecordsPage>
  );
}

const holdersOf = ({ role }: RoleRecord, people: readonly UserRecord[]): string[] =>
  people.filter((user) => user.role === role).map(({ name }) => name);

interface RoleItemProps {
  readonly role: RoleRecord;
  readonly people: readonly UserRecord[];
  readonly onOpen: (kind: 'edit' | 'delete') => void;
}

function RoleItem({ role, people, onOpen }: RoleItemProps) {
  const action = (kind: 'edit' | 'delete', text: string) => (
    <button class="button button-small" type="button" aria-label={`${text}: ${role.role}`} onClick={() => onOpen(kind)}>
      {text}
    </button>
  );
  return (
    <RecordItem
      name={role.role}
      badges={<Badge text={words.roles[role.source]} kind={role.source === 'store' ? 'strong' : 'plain'} />}
      facts={[
        [words.common.cameras, <CamerasOf key="cameras" role={role} />],
        ...limitFacts(role),
        [words.users.title, <WhoHas key="users" count={role.users} holders={holdersOf(role, people)} />],
      ]}
      actions={
        role.source === 'store' ? (
          <>
            {action('edit', words.roles.edit)}
            {action('delete', words.roles.delete)}
          </>
        ) : (
          role.source === 'file' && <span class="field-help">{words.roles.fileHelp}</span>
        )
      }
    />
  );
}

function CamerasOf({ role: { role, cameras, source } }: { role: RoleRecord }) {
  if (source !== 'builtin') return <Names names={cameras} none={words.common.noCameras} />;
  return <>{role === 'admin' ? words.roles.adminAccess : words.roles.viewerAccess}</>;
}

/** The API counts; who it is, is known where users are kept here. */
function WhoHas({ count, holders }: { count: number; holders: readonly string[] }) {
  if (holders.length === 0) return <>{count === 0 ? words.roles.noUsers : words.roles.users(count)}</>;
  return <Names names={holders} none="" />;
}
