/** Dialogs of Settings > Users: links by which a person sets the own password, so that no admin knows it (SPEC 12). */
import { useId, useState } from 'preact/hooks';
import { sendToApi } from '../shared/api.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { isFields, textOf, timeOf } from '../shared/fields.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { SelectField, TextField } from '../shared/form-fields.tsx';
import { problemOf } from '../shared/problem-of.ts';
import { formatShortMoment } from '../shared/times.ts';
import { useModal } from '../shared/use-modal.ts';
import { words } from '../shared/words.ts';
import type { UserRecord } from './account-records.ts';
import { askedValidity, NO_ENDS, ValidityFields } from './limits/validity-fields.tsx';
import { userNameFault } from './names.ts';

/** Shown once. */
export interface Link {
  readonly user: string;
  readonly url: string;
  readonly expiresAt: number | undefined;
  /** False: the address is that of this page, for `server.public_url` is not set. */
  readonly isPublic: boolean;
}

interface LinkFormProps {
  readonly onMade: (link: Link) => void;
  readonly onClose: () => void;
}

interface InviteProps extends LinkFormProps {
  readonly roles: readonly string[];
  readonly known: readonly UserRecord[];
}

export function InviteUser({ roles, known, onMade, onClose }: InviteProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState('viewer');
  const [validity, setValidity] = useState(NO_ENDS);
  const invite = async (): Promise<string | undefined> => {
    const taken = known.some((user) => user.name === name) ? words.users.taken : undefined;
    return userNameFault(name) ?? taken ?? (await makeLink(name, { role, ...askedValidity(validity) }, onMade));
  };
  return (
    <FormDialog title={words.links.invite} submit={words.links.create} onSubmit={invite} onClose={onClose}>
      <TextField label={words.users.name} value={name} onChange={setName} help={words.users.nameHelp} />
      <SelectField
        label={words.common.role}
        value={role}
        onChange={setRole}
        options={roles.map((known) => [known, known] as const)}
      />
      <ValidityFields validity={validity} onChange={setValidity} />
      <p>{words.links.inviteWhat}</p>
    </FormDialog>
  );
}

export function ResetLink({ user, onMade, onClose }: LinkFormProps & { readonly user: UserRecord }) {
  return (
    <FormDialog
      title={words.links.resetTitle(user.name)}
      submit={words.links.create}
      onSubmit={() => makeLink(user.name, {}, onMade)}
      onClose={onClose}
    >
      <p>{words.links.resetWhat}</p>
    </FormDialog>
  );
}

async function makeLink(name: string, body: object, onMade: (link: Link) => void): Promise<string | undefined> {
  const response = await sendToApi('POST', `api/users/${encodeURIComponent(name)}/invitation`, body);
  if (response.kind !== 'ok') return problemOf(response);
  const fields = isFields(response.body) ? response.body : {};
  const url = textOf(fields['url']);
  if (url === undefined) return words.common.unreadable;
  const isPublic = textOf(fields['note']) === undefined;
  onMade({ user: name, url: new URL(url, location.origin).href, expiresAt: timeOf(fields['expires_at']), isPublic });
  return undefined;
}

/** The link is shown once, so Escape does not close this dialog. */
export function MadeLink({ link, onClose }: { link: Link; onClose: () => void }) {
  const dialog = useModal();
  const titleId = useId();
  return (
    <dialog
      ref={dialog}
      class="form-dialog"
      aria-labelledby={titleId}
      onCancel={(event) => event.preventDefault()}
      onClose={({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal()}
    >
      <div class="form">
        <h2 id={titleId} class="form-title">
          {words.links.madeTitle(link.user)}
        </h2>
        <p class="notice notice-warn">{words.links.madeWhat}</p>
        <p class="secret">
          <code>{link.url}</code>
          <CopyButton text={link.url} />
        </p>
        {link.expiresAt !== undefined && <p>{words.links.until(formatShortMoment(link.expiresAt))}</p>}
        {!link.isPublic && <p class="field-help">{words.links.notPublic}</p>}
        <p class="form-actions">
          <button class="button button-strong" type="button" onClick={onClose}>
            {words.tokens.done}
          </button>
        </p>
      </div>
    </dialog>
  );
}
