/** Settings > Roles: which cameras each role sees, what is denied, its hours, and who has it (interface 2.2; SPEC 4.3, 13). */
import { parseCustomRoleName } from '../../../domain/names.ts';
import { useNameableCameras } from '../shared/account.ts';
import type { RoleRecord, UserRecord } from '../shared/answers.ts';
import { sendToApi, together, useList, valueOr } from '../shared/api.ts';
import { CameraChoice } from '../shared/cameras/camera-choice.tsx';
import { NameField } from '../shared/fields.tsx';
import { type Act, asking, FormDialog } from '../shared/forms.tsx';
import { FewNames } from '../shared/record-table.tsx';
import { Badge, pathTo, ResourcePage } from '../shared/records-page.tsx';
import { facts, words } from '../shared/words.ts';
import { guestText, limitFacts, RoleLimitFields, requestedLimits, typedLimits } from './limits.tsx';

export function Roles() {
  const text = words.roles;
  const [roles, again] = useList<RoleRecord>('api/roles');
  const [users, usersAgain] = useList<UserRecord>(facts.hasOwnLogin && 'api/users');
  const known = valueOr(roles, []);
  const people = valueOr(users, []);
  /** Roles that only guests have. */
  const guests = new Set(people.filter(guestText).map(({ role }) => role));
  for (const user of people) if (guestText(user) === undefined) guests.delete(user.role);
  const cameras = useNameableCameras();
  /** Known where users are kept here; the API counts in any case. */
  const holdersOf = ({ role }: RoleRecord): readonly string[] =>
    people.filter((user) => user.role === role).map(({ username }) => username);
  return (
    <ResourcePage
      title={text.title}
      lead={text.lead}
      // Rows grow by their users, and would push the others away.
      fetched={[facts.hasOwnLogin && users.kind === 'loading' ? users : roles, together(again, usersAgain)]}
      pageActs={[{ text: text.add, kind: 'strong', dialog: () => <EditRole {...{ known, cameras }} /> }]}
      keyOf={({ role }) => role}
      columns={[
        {
          title: words.ui.common.role,
          text: ({ role }) => role,
          more: ({ role, source }) => (
            <>
              {guests.has(role) && <Badge text={words.users.guest} />}{' '}
              <Badge text={text[source]} kind={source === 'store' ? 'strong' : 'plain'} />
            </>
          ),
          note: ({ taken_over }) => (taken_over ? text.takenOver : null),
        },
        {
          title: words.ui.common.cameras,
          cameras: ({ source, cameras: entries }) => (source === 'builtin' ? undefined : entries),
          sortBy: ({ source, cameras: entries }) => (source === 'builtin' ? Number.POSITIVE_INFINITY : entries.length),
          none: ({ role }) => (role === 'admin' ? text.adminAccess : text.viewerAccess),
        },
        {
          title: text.limits,
          cell: (role) =>
            limitFacts(role).map(([name, limit]) => (
              <span key={name} class="fact-line">
                <span class="fact-name">{name}:</span> <bdi>{limit}</bdi>
              </span>
            )),
          more: (role) => limitFacts(role).length === 0 && text.noLimit,
        },
        {
          title: words.users.title,
          sortBy: ({ users: count }) => count,
          cell: (role) => {
            const none = role.users === 0 ? text.noUsers : text.users({ number: role.users });
            return <FewNames names={holdersOf(role)} {...{ none }} />;
          },
        },
      ]}
      acts={(role) => {
        if (role.source !== 'store') return takeOverActs(role);
        const [names, number] = [holdersOf(role).join(', '), role.users];
        const unnamed = number === 0 ? text.deleteUnused : text.deleteCount({ number });
        // Its users become viewers, who see more cameras than before.
        const what = names === '' ? unnamed : text.deleteWhat({ names });
        const remove = () => sendToApi('POST', 'api/roles/delete', { name: role.role });
        return [
          { text: text.edit, dialog: () => <EditRole {...{ role, known, cameras }} /> },
          asking({ ...text.delete, what }, role, remove, { isDangerous: true }),
        ];
      }}
    />
  );
}

/** A role of the file is copied into the store, where it can be changed once its line in the file is gone. */
function takeOverActs(role: RoleRecord): readonly Act[] {
  if (role.source !== 'file' || role.taken_over) return [];
  const { takeOver } = words.roles;
  const what = takeOver.what({ ...role, hasOtherNvrs: facts.hasOtherNvrs });
  const path = pathTo('api/roles', role.role, '/take-over');
  return [asking({ ...takeOver, what }, role, () => sendToApi('POST', path))];
}

/** `role`: undefined for a new one. */
type EditRoleProps = { role?: RoleRecord; known: readonly RoleRecord[]; cameras: readonly string[] };

export function EditRole({ role, known, cameras }: EditRoleProps) {
  const text = words.roles;
  return (
    <FormDialog
      title={role ? text.editTitle(role) : text.add}
      first={{ name: role?.role ?? '', cameras: (role?.cameras ?? []) as readonly string[], ...typedLimits(role) }}
      onSubmit={({ name, cameras: entries, ...limits }) =>
        sendToApi('PUT', pathTo('api/roles', name), { cameras: entries, ...requestedLimits(limits) })
      }
      done={({ name }) => text.saved({ role: name })}
    >
      {({ field, ...form }) => (
        <>
          {!role && (
            <NameField
              label={text.name}
              help={text.nameHelp}
              parse={parseCustomRoleName}
              faults={text}
              known={known.map(({ role: name }) => name)}
              {...field('name')}
            />
          )}
          <CameraChoice known={cameras} {...field('cameras')} />
          <RoleLimitFields field={field} {...form} />
        </>
      )}
    </FormDialog>
  );
}
