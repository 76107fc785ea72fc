/** The questions of Settings > Roles: a role and its cameras, and what deleting one does (SPEC 4.3). */
import { useState } from 'preact/hooks';
import { sendToApi } from '../../shared/api.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { type FormProblem, faultsIn } from '../../shared/forms/form-faults.ts';
import { TextField } from '../../shared/forms/form-fields.tsx';
import { words } from '../../shared/words.ts';
import type { RoleRecord } from '../account-records.ts';
import { CameraChoice } from '../camera-choice.tsx';
import { RoleLimitFields, requestedLimits, typedLimits } from '../limits/role-limits.tsx';
import { plainName, roleNameFault } from '../names.ts';
import { settled } from '../users/user-forms.tsx';

interface RoleFormProps {
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

interface EditRoleProps extends RoleFormProps {
  /** Undefined: a new one. */
  readonly role?: RoleRecord;
  readonly known: readonly RoleRecord[];
  readonly cameras: readonly string[];
}

const rolePath = (role: string): string => `api/roles/${encodeURIComponent(role)}`;

export function EditRole({ role, known, cameras, onClose, onDone }: EditRoleProps) {
  const [name, setName] = useState(role?.role ?? '');
  const [entries, setEntries] = useState<readonly string[]>(role?.cameras ?? []);
  const [limits, setLimits] = useState(typedLimits(role));
  const save = async (): Promise<FormProblem | undefined> => {
    const taken = !role && known.some((other) => other.role === name) ? words.roles.taken : undefined;
    const cameras = entries.length === 0 ? words.roles.needsOne : undefined;
    const wrong = faultsIn({ name: roleNameFault(name) ?? taken, cameras });
    if (wrong !== undefined) return wrong;
    const asked = { cameras: entries, ...requestedLimits(limits) };
    return settled(await sendToApi('PUT', rolePath(name), asked), () => onDone(words.roles.saved({ role: name })));
  };
  const title = role ? words.roles.editTitle({ role: role.role }) : words.roles.add;
  return (
    <FormDialog title={title} submit={words.ui.common.save} onSubmit={save} onClose={onClose}>
      {!role && (
        <TextField
          name="name"
          label={words.roles.name}
          value={name}
          onChange={(typed) => setName(plainName(typed))}
          help={words.roles.nameHelp}
        />
      )}
      <CameraChoice known={cameras} entries={entries} onChange={setEntries} />
      <RoleLimitFields limits={limits} onChange={setLimits} />
    </FormDialog>
  );
}

interface DeleteRoleProps extends RoleFormProps {
  readonly role: RoleRecord;
  readonly holders: readonly string[];
}

export function DeleteRole({ role, holders, onClose, onDone }: DeleteRoleProps) {
  const remove = async () =>
    settled(await sendToApi('POST', 'api/roles/delete', { name: role.role }), () =>
      onDone(words.roles.deleted({ role: role.role })),
    );
  return (
    <FormDialog
      title={words.roles.deleteTitle({ role: role.role })}
      submit={words.roles.delete}
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>
        <bdi>{whatHappens(role, holders)}</bdi>
      </p>
    </FormDialog>
  );
}

/** Its users become viewers, who see more cameras than before: the dialog says so. */
function whatHappens(role: RoleRecord, holders: readonly string[]): string {
  if (holders.length > 0) return words.roles.deleteWhat({ names: holders.join(', ') });
  return role.users === 0 ? words.roles.deleteUnused : words.roles.deleteCount({ number: role.users });
}
