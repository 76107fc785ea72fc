/** The passkeys of the account, in Settings > Two-step login: add, name and remove (SPEC 12). */
import { useState } from 'preact/hooks';
import { type PasskeyRecord, readRecoveryCodes } from '../../shared/account/factor-state.ts';
import { createPasskey, hasPasskeysFor, passkeyProblemOf } from '../../shared/account/webauthn.ts';
import { sendToApi } from '../../shared/api.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import type { FormProblem } from '../../shared/forms/form-faults.ts';
import { TextField } from '../../shared/forms/form-fields.tsx';
import { problemOf } from '../../shared/forms/problem-of.ts';
import { type Column, RecordTable } from '../../shared/table/record-table.tsx';
import { Act } from '../../shared/table/row-menu.tsx';
import { formatShortMoment } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import { deviceName } from '../device-name.ts';
import { useForm } from '../use-form.ts';
import { settled } from '../users/user-forms.tsx';

interface PasskeysProps {
  readonly passkeys: readonly PasskeyRecord[];
  /** The address that passkeys are made for; '' without passkeys. */
  readonly origin: string;
  readonly isForAdmin: boolean;
  readonly onDone: (text: string) => void;
  readonly onRemoved: (text: string) => void;
  /** The recovery codes to show; none when there are some already. */
  readonly onAdded: (recoveryCodes: readonly string[]) => void;
}

type OpenPasskeyForm =
  | { readonly kind: 'add' }
  | { readonly kind: 'rename' | 'remove'; readonly passkey: PasskeyRecord };

export function Passkeys({ passkeys, origin, isForAdmin, onDone, onRemoved, onAdded }: PasskeysProps) {
  const { form, open, onClose } = useForm<OpenPasskeyForm>(() => {});
  return (
    <section class="more-records" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">{words.passkeys.title}</h2>
      <p>{words.passkeys.what}</p>
      <RecordTable
        caption={words.passkeys.title}
        rows={passkeys}
        keyOf={({ id }) => id}
        columns={columns()}
        searchText={({ name }) => name}
        actions={(passkey) => (
          <>
            <Act text={words.passkeys.rename} name={passkey.name} onAct={() => open({ kind: 'rename', passkey })} />
            <Act
              text={words.passkeys.remove}
              name={passkey.name}
              isDangerous
              onAct={() => open({ kind: 'remove', passkey })}
            />
          </>
        )}
      />
      <AddButton origin={origin} isForAdmin={isForAdmin} onClick={() => open({ kind: 'add' })} />
      {form?.kind === 'add' && <AddPasskey onClose={onClose} {...{ onAdded }} />}
      {form?.kind === 'rename' && <RenamePasskey {...{ onClose, onDone }} passkey={form.passkey} />}
      {form?.kind === 'remove' && <RemovePasskey {...{ onClose }} onDone={onRemoved} passkey={form.passkey} />}
    </section>
  );
}

interface AddButtonProps extends Pick<PasskeysProps, 'origin' | 'isForAdmin'> {
  readonly onClick: () => void;
}

function AddButton({ origin, isForAdmin, onClick }: AddButtonProps) {
  if (origin === '') return <p class="notice">{isForAdmin ? words.passkeys.offForAdmins : words.passkeys.off}</p>;
  if (!hasPasskeysFor(origin)) return <p class="notice">{words.passkeys.elsewhere({ origin })}</p>;
  return (
    <p>
      <button class="button" type="button" onClick={onClick}>
        {words.passkeys.add}
      </button>
    </p>
  );
}

const columns = (): readonly Column<PasskeyRecord>[] => [
  { key: 'name', title: words.passkeys.name, sortBy: ({ name }) => name, cell: ({ name }) => <bdi>{name}</bdi> },
  {
    key: 'added',
    title: words.passkeys.added,
    isShort: true,
    sortBy: ({ created_at }) => created_at,
    cell: ({ created_at }) => formatShortMoment(created_at),
  },
  {
    key: 'used',
    title: words.passkeys.lastUsed,
    isShort: true,
    sortBy: ({ last_used_at: at }) => at ?? undefined,
    cell: ({ last_used_at: at }) => (at === null ? '–' : formatShortMoment(at)),
  },
];

const PATH = 'api/second-factor/passkeys';
const pathOf = ({ id }: PasskeyRecord): string => `${PATH}/${encodeURIComponent(id)}`;

function AddPasskey({ onClose, onAdded }: Pick<PasskeysProps, 'onAdded'> & { readonly onClose: () => void }) {
  const [name, setName] = useState(() => deviceName(navigator.userAgent));
  const add = async (): Promise<string | undefined> => {
    const options = await sendToApi('POST', `${PATH}/options`);
    if (options.kind !== 'ok') return problemOf(options);
    try {
      const credential = await createPasskey(options.body);
      const response = await sendToApi('POST', PATH, { name, credential });
      if (response.kind !== 'ok') return problemOf(response);
      onAdded(readRecoveryCodes(response.body));
      return undefined;
    } catch (fault) {
      return words.passkeys.problems[passkeyProblemOf(fault)];
    }
  };
  return (
    <FormDialog title={words.passkeys.addTitle} submit={words.passkeys.addNow} onSubmit={add} onClose={onClose}>
      <p>{words.passkeys.addWhat}</p>
      <TextField label={words.passkeys.name} value={name} onChange={setName} help={words.passkeys.nameHelp} />
    </FormDialog>
  );
}

interface PasskeyDialogProps extends Pick<PasskeysProps, 'onDone'> {
  readonly passkey: PasskeyRecord;
  readonly onClose: () => void;
}

function RenamePasskey({ passkey, onClose, onDone }: PasskeyDialogProps) {
  const [name, setName] = useState(passkey.name);
  const rename = async (): Promise<FormProblem | undefined> =>
    settled(await sendToApi('PATCH', pathOf(passkey), { name }), () => onDone(words.passkeys.renamed({ name })));
  return (
    <FormDialog
      title={words.passkeys.renameOne({ name: passkey.name })}
      submit={words.ui.common.save}
      onSubmit={rename}
      onClose={onClose}
    >
      <TextField label={words.passkeys.name} value={name} onChange={setName} />
    </FormDialog>
  );
}

function RemovePasskey({ passkey, onClose, onDone }: PasskeyDialogProps) {
  const remove = async (): Promise<FormProblem | undefined> =>
    settled(await sendToApi('DELETE', pathOf(passkey)), () => onDone(words.passkeys.removed({ name: passkey.name })));
  return (
    <FormDialog
      title={words.passkeys.removeOne({ name: passkey.name })}
      submit={words.passkeys.remove}
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{words.passkeys.removeWhat}</p>
    </FormDialog>
  );
}
