/** Settings > Roles: which cameras each role sees, and who has it (interface 2.2; SPEC 4.3). */
import type { Profile } from '../../shared/account/profile.ts';
import { nameableCameras, useSites } from '../../shared/sites.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import { type RoleRecord, recordsIn, type UserRecord } from '../account-records.ts';
import { RecordsPage } from '../records.tsx';
import { useForm } from '../use-form.ts';
import { DeleteRole, EditRole } from './role-forms.tsx';
import { RoleTable } from './role-table.tsx';

type OpenRoleForm = { readonly kind: 'add' } | { readonly kind: 'edit' | 'delete'; readonly role: RoleRecord };

export function Roles({ profile, hasOwnLogin }: { profile: Profile; hasOwnLogin: boolean }) {
  const [roles, again] = useFetched('api/roles', recordsIn<RoleRecord>);
  const [users, usersAgain] = useFetched(hasOwnLogin ? 'api/users' : undefined, recordsIn<UserRecord>);
  const { form, open, done, ...shared } = useForm<OpenRoleForm>(() => {
    again();
    usersAgain();
  });
  const people = users.kind === 'ready' ? users.value : [];
  const cameras = nameableCameras(profile, useSites());
  return (
    <RecordsPage
      title={words.roles.title}
      lead={words.roles.lead}
      done={done}
      // Rows grow by their users, and would push the others away.
      fetched={hasOwnLogin && users.kind === 'loading' ? users : roles}
      onRetry={again}
      actions={
        <button class="button button-strong" type="button" onClick={() => open({ kind: 'add' })}>
          {words.roles.add}
        </button>
      }
    >
      {(known) => (
        <>
          <RoleTable
            roles={known}
            holdersOf={(role) => holdersOf(role, people)}
            onOpen={(kind, role) => open({ kind, role })}
          />
          {form?.kind === 'add' && <EditRole {...shared} known={known} cameras={cameras} />}
          {form?.kind === 'edit' && <EditRole {...shared} role={form.role} known={known} cameras={cameras} />}
          {form?.kind === 'delete' && (
            <DeleteRole {...shared} role={form.role} holders={holdersOf(form.role, people)} />
          )}
        </>
      )}
    </RecordsPage>
  );
}

const holdersOf = ({ role }: RoleRecord, people: readonly UserRecord[]): string[] =>
  people.filter((user) => user.role === role).map(({ username }) => username);
