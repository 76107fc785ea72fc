/** The passkeys of the account, in Settings > Two-step login: add, name and remove (SPEC 12). */
import { type FactorState, type PasskeyRecord, readRecoveryCodes } from '../../shared/account/factor-state.ts';
import { createPasskey, hasPasskeysFor, passkeyProblemOf } from '../../shared/account/webauthn.ts';
import { sendToApi } from '../../shared/api.ts';
import { Opener } from '../../shared/dialogs.tsx';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { TextField } from '../../shared/forms/form-fields.tsx';
import type { Sent } from '../../shared/forms/use-form.ts';
import { words } from '../../shared/words.ts';
import { deviceName } from '../device-name.ts';
import { MoreRecords, pathTo, removal } from '../page.tsx';
import { reload } from '../users/user-forms.tsx';

interface PasskeysProps {
  readonly state: FactorState;
  /** The address that passkeys are made for; '' without passkeys. */
  readonly origin: string;
  readonly isForAdmin: boolean;
  /** The recovery codes to show; none when there are some already. */
  readonly onAdded: (recoveryCodes: readonly string[]) => void;
}

const PATH = 'api/second-factor/passkeys';
const pathOf = ({ id }: PasskeyRecord): string => pathTo(PATH, id);

export function Passkeys({ state, ...props }: PasskeysProps) {
  const text = words.passkeys;
  return (
    <MoreRecords
      id="passkeys-title"
      lead={<p>{text.what}</p>}
      caption={text.title}
      rows={state.passkeys}
      keyOf={({ id }) => id}
      columns={[
        { title: text.name, text: ({ name }) => name },
        { title: text.added, at: ({ created_at }) => created_at },
        { title: text.lastUsed, at: ({ last_used_at }) => last_used_at },
      ]}
      acts={(passkey) => [
        { text: text.rename, dialog: () => <RenamePasskey passkey={passkey} /> },
        removal(text.remove, pathOf(passkey), {
          title: text.removeOne(passkey),
          what: text.removeWhat,
          done: () => (state.required ? reload() : text.removed(passkey)),
        }),
      ]}
    >
      <AddButton {...props} />
    </MoreRecords>
  );
}

function AddButton({ origin, isForAdmin, onAdded }: Omit<PasskeysProps, 'state'>) {
  const text = words.passkeys;
  if (origin === '') return <p class="notice">{isForAdmin ? text.offForAdmins : text.off}</p>;
  if (!hasPasskeysFor(origin)) return <p class="notice">{text.elsewhere({ origin })}</p>;
  return (
    <p>
      <Opener dialog={() => <AddPasskey onAdded={onAdded} />}>{text.add}</Opener>
    </p>
  );
}

function AddPasskey({ onAdded }: Pick<PasskeysProps, 'onAdded'>) {
  const text = words.passkeys;
  const add = async ({ name }: { readonly name: string }): Promise<Sent> => {
    const options = await sendToApi('POST', `${PATH}/options`);
    if (options.kind !== 'ok') return options;
    try {
      return await sendToApi('POST', PATH, { name, credential: await createPasskey(options.body) });
    } catch (fault) {
      return text.problems[passkeyProblemOf(fault)];
    }
  };
  return (
    <FormDialog
      title={text.addTitle}
      submit={text.addNow}
      first={{ name: deviceName(navigator.userAgent) }}
      onSubmit={add}
      next={(body) => void onAdded(readRecoveryCodes(body))}
    >
      {({ field }) => (
        <>
          <p>{text.addWhat}</p>
          <TextField label={text.name} help={text.nameHelp} {...field('name')} />
        </>
      )}
    </FormDialog>
  );
}

function RenamePasskey({ passkey }: { readonly passkey: PasskeyRecord }) {
  const text = words.passkeys;
  return (
    <FormDialog
      title={text.renameOne(passkey)}
      submit={words.ui.common.save}
      first={{ name: passkey.name }}
      onSubmit={({ name }) => sendToApi('PATCH', pathOf(passkey), { name })}
      done={text.renamed}
    >
      {({ field }) => <TextField label={text.name} {...field('name')} />}
    </FormDialog>
  );
}
