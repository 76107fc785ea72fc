/** Dialogs of Settings > Users: links by which a person sets a password, so that no admin knows it (SPEC 12). */
import { useState } from 'preact/hooks';
import { AddressSharing } from '../shared/address-sharing.tsx';
import { sendToApi } from '../shared/api.ts';
import { isFields, textOf, timeOf } from '../shared/forms/fields.ts';
import { FormDialog } from '../shared/forms/form-dialog.tsx';
import { type FormProblem, faultsIn } from '../shared/forms/form-faults.ts';
import { TextField } from '../shared/forms/form-fields.tsx';
import { formProblemOf } from '../shared/forms/problem-of.ts';
import { NewSecret } from '../shared/new-secret.tsx';
import { formatShortMoment } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import type { RoleRecord, UserRecord } from './account-records.ts';
import { askedValidity, NO_ENDS, ValidityFields, validityFault } from './limits/validity-fields.tsx';
import { plainName, userNameFault } from './names.ts';
import { RoleField, roleFault } from './users/role-field.tsx';

/** Shown once. */
export interface ListedLink {
  readonly user: string;
  readonly url: string;
  readonly expiresAt: number | undefined;
  /** False: the address is that of this page, for `server.public_url` is not set. */
  readonly isPublic: boolean;
}

interface LinkFormProps {
  readonly onMade: (link: ListedLink) => void;
  readonly onClose: () => void;
}

interface InviteProps extends LinkFormProps {
  readonly roles: readonly RoleRecord[];
  /** The number of cameras that there are. */
  readonly cameras: number;
  readonly known: readonly UserRecord[];
}

export function InviteUser({ roles, cameras, known, onMade, onClose }: InviteProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState('');
  const [validity, setValidity] = useState(NO_ENDS);
  const invite = async (): Promise<FormProblem | undefined> => {
    const taken = known.some((user) => user.username === name) ? words.users.taken : undefined;
    const wrong = faultsIn({
      name: userNameFault(name) ?? taken,
      role: roleFault(role),
      until: validityFault(validity),
    });
    return wrong ?? (await makeLink(name, { role, ...askedValidity(validity) }, onMade));
  };
  return (
    <FormDialog title={words.invitations.invite} submit={words.invitations.create} onSubmit={invite} onClose={onClose}>
      <TextField
        name="name"
        label={words.users.name}
        value={name}
        onChange={(typed) => setName(plainName(typed))}
        help={words.users.nameHelp}
      />
      <RoleField roles={roles} cameras={cameras} value={role} onChange={setRole} />
      <ValidityFields validity={validity} onChange={setValidity} />
      <p>{words.invitations.inviteWhat}</p>
    </FormDialog>
  );
}

export function ResetLink({ user, onMade, onClose }: LinkFormProps & { readonly user: UserRecord }) {
  return (
    <FormDialog
      title={words.invitations.resetTitle({ name: user.username })}
      submit={words.invitations.create}
      onSubmit={() => makeLink(user.username, {}, onMade)}
      onClose={onClose}
    >
      <p>{words.invitations.resetWhat}</p>
    </FormDialog>
  );
}

async function makeLink(
  name: string,
  body: object,
  onMade: (link: ListedLink) => void,
): Promise<FormProblem | undefined> {
  const response = await sendToApi('POST', `api/users/${encodeURIComponent(name)}/invitation`, body);
  if (response.kind !== 'ok') return formProblemOf(response);
  const fields = isFields(response.body) ? response.body : {};
  const url = textOf(fields['url']);
  if (url === undefined) return words.ui.common.unreadable;
  const isPublic = textOf(fields['note']) === undefined;
  onMade({ user: name, url: new URL(url, location.origin).href, expiresAt: timeOf(fields['expires_at']), isPublic });
  return undefined;
}

export const MadeLink = ({ link, onClose }: { link: ListedLink; onClose: () => void }) => (
  <NewSecret
    title={words.invitations.madeTitle({ name: link.user })}
    warning={words.invitations.madeWhat}
    secret={link.url}
    onClose={onClose}
  >
    <AddressSharing url={link.url} title={words.invitations.madeTitle({ name: link.user })} />
    {link.expiresAt !== undefined && <p>{words.invitations.until({ time: formatShortMoment(link.expiresAt) })}</p>}
    {!link.isPublic && <p class="field-help">{words.invitations.notPublic}</p>}
  </NewSecret>
);
