/** Sets up an authenticator app: the secret as a picture and as text, and its first code (SPEC 12). */
import { useState } from 'preact/hooks';
import { readRecoveryCodes, type TotpOffer } from '../../shared/account/factor-state.ts';
import { sendToApi } from '../../shared/api.ts';
import { CopyButton } from '../../shared/copy-button.tsx';
import type { FormProblem } from '../../shared/forms/form-faults.ts';
import { TextField } from '../../shared/forms/form-fields.tsx';
import { PanelForm } from '../../shared/forms/panel-form.tsx';
import { problemOf } from '../../shared/forms/problem-of.ts';
import { words } from '../../shared/words.ts';

interface TotpSetupProps {
  readonly offer: TotpOffer;
  /** The recovery codes to show; none when there are some already. */
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
  readonly onCancel: () => void;
}

export function TotpSetup({ offer, onConfirmed, onCancel }: TotpSetupProps) {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<FormProblem>('');
  const [isBusy, setIsBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setIsBusy(true);
    const response = await sendToApi('POST', 'api/second-factor/totp/confirm', { code });
    setIsBusy(false);
    if (response.kind === 'ok') return onConfirmed(readRecoveryCodes(response.body));
    const isWrong = response.kind === 'refused' && response.status === 400;
    setProblem(isWrong ? { faults: { code: words.secondFactor.wrongCode } } : problemOf(response));
  };
  return (
    <PanelForm
      submit={words.secondFactor.confirm}
      submitting={words.ui.common.saving}
      onSubmit={confirm}
      {...{ isBusy, problem, setProblem }}
    >
      <h2 class="form-title">{words.secondFactor.setUp}</h2>
      <p>{words.secondFactor.scan}</p>
      <img
        class="qr-code"
        src={`data:image/svg+xml,${encodeURIComponent(offer.qr)}`}
        alt={words.secondFactor.picture}
      />
      <p>{words.secondFactor.byHand}</p>
      <p class="secret">
        <code>{offer.secret.replace(/.{4}(?=.)/g, '$& ')}</code>
        <CopyButton text={offer.secret} />
      </p>
      <TextField
        name="code"
        label={words.ui.common.code}
        value={code}
        onChange={setCode}
        help={words.secondFactor.firstCode}
        autocomplete="one-time-code"
      />
      <button class="button button-plain button-small" type="button" onClick={onCancel}>
        {words.ui.common.cancel}
      </button>
    </PanelForm>
  );
}
