/** The questions of Settings > Users: a new user, a role, a password, a farewell (SPEC 4.3). */
import { useState } from 'preact/hooks';
import { type ApiResponse, sendToApi } from '../../shared/api.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { type FormProblem, faultsIn } from '../../shared/forms/form-faults.ts';
import { TextField } from '../../shared/forms/form-fields.tsx';
import { formProblemOf } from '../../shared/forms/problem-of.ts';
import { words } from '../../shared/words.ts';
import type { RoleRecord, UserRecord } from '../account-records.ts';
import { askedValidity, NO_ENDS, ValidityFields, validityFault } from '../limits/validity-fields.tsx';
import { plainName, suggestedPassword, userNameFault } from '../names.ts';
import { NewPassword, usePasswordFault } from '../new-password.tsx';
import { RoleField, roleFault } from './role-field.tsx';

interface UserFormProps {
  readonly onClose: () => void;
  /** What was done, in words. */
  readonly onDone: (text: string) => void;
}

const userPath = (name: string, more = ''): string => `api/users/${encodeURIComponent(name)}${more}`;

/** What is wrong, or undefined when it is done. */
export function settled(response: ApiResponse, onDone: () => void): FormProblem | undefined {
  if (response.kind !== 'ok') return formProblemOf(response);
  onDone();
  return undefined;
}

interface RoleChoices {
  readonly roles: readonly RoleRecord[];
  /** The number of cameras that there are. */
  readonly cameras: number;
}

interface AddUserProps extends UserFormProps, RoleChoices {
  readonly known: readonly UserRecord[];
}

export function AddUser({ roles, cameras, known, onClose, onDone }: AddUserProps) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState('');
  const [validity, setValidity] = useState(NO_ENDS);
  const passwordFault = usePasswordFault();
  const add = async (): Promise<FormProblem | undefined> => {
    const taken = known.some((user) => user.username === name) ? words.users.taken : undefined;
    const wrong = faultsIn({
      name: userNameFault(name) ?? taken,
      password: passwordFault(password, name),
      role: roleFault(role),
      until: validityFault(validity),
    });
    if (wrong !== undefined) return wrong;
    const asked = { username: name, password, role, ...askedValidity(validity) };
    return settled(await sendToApi('POST', 'api/users', asked), () => onDone(words.users.added({ name })));
  };
  return (
    <FormDialog title={words.users.add} submit={words.users.add} onSubmit={add} onClose={onClose}>
      <TextField
        name="name"
        label={words.users.name}
        value={name}
        onChange={(typed) => setName(plainName(typed))}
        help={words.users.nameHelp}
      />
      <NewPassword
        label={words.users.password}
        userName={name}
        value={password}
        onChange={setPassword}
        onSuggest={() => setPassword(suggestedPassword())}
      />
      <RoleField roles={roles} cameras={cameras} value={role} onChange={setRole} />
      <ValidityFields validity={validity} onChange={setValidity} />
    </FormDialog>
  );
}

interface OfUser extends UserFormProps {
  readonly user: UserRecord;
}

export function SetRole({ user, roles, cameras, onClose, onDone }: OfUser & RoleChoices) {
  const [role, setRole] = useState(roles.some((known) => known.role === user.role) ? user.role : '');
  const save = async () =>
    faultsIn({ role: roleFault(role) }) ??
    settled(await sendToApi('PUT', userPath(user.username, '/role'), { role }), () =>
      onDone(words.users.roleChanged({ name: user.username, role })),
    );
  return (
    <FormDialog
      title={words.users.roleOf({ name: user.username })}
      submit={words.ui.common.save}
      onSubmit={save}
      onClose={onClose}
    >
      <RoleField roles={roles} cameras={cameras} value={role} onChange={setRole} />
      <p>{words.users.roleNow}</p>
    </FormDialog>
  );
}

export function ResetPassword({ user, onClose, onDone }: OfUser) {
  const [password, setPassword] = useState('');
  const passwordFault = usePasswordFault();
  const save = async (): Promise<FormProblem | undefined> => {
    const wrong = faultsIn({ password: passwordFault(password, user.username) });
    if (wrong !== undefined) return wrong;
    return settled(await sendToApi('PUT', userPath(user.username, '/password'), { password }), () =>
      onDone(words.users.passwordChanged({ name: user.username })),
    );
  };
  return (
    <FormDialog
      title={words.users.passwordOf({ name: user.username })}
      submit={words.ui.common.save}
      onSubmit={save}
      onClose={onClose}
    >
      <NewPassword
        label={words.users.newPassword}
        userName={user.username}
        value={password}
        onChange={setPassword}
        onSuggest={() => setPassword(suggestedPassword())}
      />
      <p>{words.users.passwordEnds}</p>
    </FormDialog>
  );
}

export function DeleteUser({ user, onClose, onDone }: OfUser) {
  const remove = async () =>
    settled(await sendToApi('POST', 'api/users/delete', { name: user.username }), () =>
      onDone(words.users.deleted({ name: user.username })),
    );
  return (
    <FormDialog
      title={words.users.deleteTitle({ name: user.username })}
      submit={words.users.delete}
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{words.users.deleteWhat}</p>
    </FormDialog>
  );
}

export function RemoveFactor({ user, onClose, onDone }: OfUser) {
  const remove = async () =>
    settled(await sendToApi('DELETE', `${userPath(user.username)}/second-factor`), () =>
      onDone(words.users.factorRemoved({ name: user.username })),
    );
  return (
    <FormDialog
      title={words.users.removeFactorTitle({ name: user.username })}
      submit={words.users.removeFactor}
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{words.users.removeFactorWhat}</p>
    </FormDialog>
  );
}
