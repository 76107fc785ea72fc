/** The validity of a guest: its dialog, and how much of it is left (SPEC 13). */
import { useState } from 'preact/hooks';
import { toLocalInput } from '../../explore/filter/local-input.ts';
import { sendToApi } from '../../shared/api.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { faultsIn } from '../../shared/forms/form-faults.ts';
import { formatDuration, formatShortMoment } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { UserRecord } from '../account-records.ts';
import { settled } from '../users/user-forms.tsx';
import { askedValidity, type TypedValidity, ValidityFields, validityFault } from './validity-fields.tsx';

interface SetValidityProps {
  readonly user: UserRecord;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

export function SetValidity({ user, onClose, onDone }: SetValidityProps) {
  const [validity, setValidity] = useState<TypedValidity>({
    from: toLocalInput(user.valid_from),
    until: toLocalInput(user.valid_until),
  });
  const path = `api/users/${encodeURIComponent(user.username)}/validity`;
  const save = async () =>
    faultsIn({ until: validityFault(validity) }) ??
    settled(await sendToApi('PUT', path, askedValidity(validity)), () =>
      onDone(words.users.validityChanged({ name: user.username })),
    );
  return (
    <FormDialog
      title={words.users.validityOf({ name: user.username })}
      submit={words.ui.common.save}
      onSubmit={save}
      onClose={onClose}
    >
      <ValidityFields validity={validity} onChange={setValidity} />
    </FormDialog>
  );
}

/** Undefined for an account that lasts. `now` in Unix seconds. */
export function guestText({ valid_from: from, valid_until: until }: UserRecord, now: number): string | undefined {
  if (until !== undefined && until <= now) return words.users.ended({ moment: formatShortMoment(until) });
  if (from !== undefined && now < from) return words.users.notBegun({ moment: formatShortMoment(from) });
  return until === undefined
    ? undefined
    : words.users.leftUntil({ left: formatDuration(until - now), moment: formatShortMoment(until) });
}
