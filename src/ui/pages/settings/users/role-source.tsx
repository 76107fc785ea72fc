/** Who gives a user's role, Postern or a provider, and the two ways to change that (SPEC 16). */
import { sendToApi } from '../../shared/api.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { words } from '../../shared/words.ts';
import type { UserRecord } from '../account-records.ts';
import { settled } from './user-forms.tsx';

const OWN = 'postern';

/** The provider that gives the role; undefined for Postern itself. */
export const giverOf = ({ role_source: source }: UserRecord): string | undefined =>
  source === OWN ? undefined : source;

/** What can be done about it; undefined for an account without a provider, and for one that has no role to keep. */
export function sourceAct(user: UserRecord): 'pin' | 'give-back' | undefined {
  if (giverOf(user) !== undefined) return user.role === 'none' ? undefined : 'pin';
  return user.sign_ins === undefined ? undefined : 'give-back';
}

interface Props {
  readonly user: UserRecord;
  readonly onClose: () => void;
  /** What was done, in words. */
  readonly onDone: (text: string) => void;
}

const changeRole = async ({ user, onDone }: Props, change: object, text: string) =>
  settled(await sendToApi('PUT', `api/users/${encodeURIComponent(user.username)}/role`, change), () => onDone(text));

export function PinRole(props: Props) {
  const { username, role } = props.user;
  const pin = () => changeRole(props, { role }, words.users.pinned({ name: username, role }));
  return (
    <FormDialog
      title={words.users.pinTitle({ name: username })}
      submit={words.users.pin}
      onSubmit={pin}
      onClose={props.onClose}
    >
      <p>{words.users.pinWhat({ role, provider: giverOf(props.user) ?? '' })}</p>
    </FormDialog>
  );
}

export function GiveBackRole(props: Props) {
  const { username } = props.user;
  const give = () => changeRole(props, { source: 'provider' }, words.users.givenBack({ name: username }));
  return (
    <FormDialog
      title={words.users.giveBackTitle({ name: username })}
      submit={words.users.giveBack}
      onSubmit={give}
      onClose={props.onClose}
    >
      <p>{words.users.giveBackWhat}</p>
    </FormDialog>
  );
}
