/** Sets up an authenticator app: the secret as a picture and as text, and its first code (SPEC 12). */
import { readRecoveryCodes, type TotpOffer } from '../../shared/account/factor-state.ts';
import { sendToApi } from '../../shared/api.ts';
import { CopyButton } from '../../shared/copy-button.tsx';
import { TextField } from '../../shared/forms/form-fields.tsx';
import { PanelForm } from '../../shared/forms/panel-form.tsx';
import type { Sent } from '../../shared/forms/use-form.ts';
import { words } from '../../shared/words.ts';

interface TotpSetupProps {
  readonly offer: TotpOffer;
  /** The recovery codes to show; none when there are some already. */
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
  readonly onCancel: () => void;
}

export function TotpSetup({ offer, onConfirmed, onCancel }: TotpSetupProps) {
  const text = words.secondFactor;
  const confirm = async (typed: { readonly code: string }): Promise<Sent> => {
    const response = await sendToApi('POST', 'api/second-factor/totp/confirm', typed);
    const isWrong = response.kind === 'refused' && response.status === 400;
    return isWrong ? { faults: { code: text.wrongCode } } : response;
  };
  return (
    <PanelForm
      submit={text.confirm}
      first={{ code: '' }}
      onSubmit={confirm}
      onSent={(_, body) => onConfirmed(readRecoveryCodes(body))}
    >
      {({ field }) => (
        <>
          <h2 class="form-title">{text.setUp}</h2>
          <p>{text.scan}</p>
          <img class="qr-code" src={`data:image/svg+xml,${encodeURIComponent(offer.qr)}`} alt={text.picture} />
          <p>{text.byHand}</p>
          <p class="secret">
            <code>{offer.secret.replace(/.{4}(?=.)/g, '$& ')}</code>
            <CopyButton text={offer.secret} />
          </p>
          <TextField
            label={words.ui.common.code}
            help={text.firstCode}
            autocomplete="one-time-code"
            {...field('code')}
          />
          <button class="button button-plain button-small" type="button" onClick={onCancel}>
            {words.ui.common.cancel}
          </button>
        </>
      )}
    </PanelForm>
  );
}
