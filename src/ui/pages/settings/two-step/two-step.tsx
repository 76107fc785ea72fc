/** Settings > Two-step login: one's own authenticator app and recovery codes (SPEC 12). */
import { useState } from 'preact/hooks';
import {
  type FactorState,
  readFactors,
  readOffer,
  readRecoveryCodes,
  type TotpOffer,
} from '../../shared/account/factor-state.ts';
import { isAdmin, type Profile } from '../../shared/account/profile.ts';
import { sendToApi } from '../../shared/api.ts';
import { baseUrl } from '../../shared/base-url.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { problemOf } from '../../shared/forms/problem-of.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import { Badge, RecordItem, Records, RecordsPage } from '../records.tsx';
import { useForm } from '../use-form.ts';
import { settled } from '../users/user-forms.tsx';
import { Passkeys } from './passkeys.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { TotpSetup } from './totp-setup.tsx';

type OpenFactorForm = 'remove' | 'codes';
type TwoStepView =
  | { readonly kind: 'list' }
  | { readonly kind: 'setup'; readonly offer: TotpOffer }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

export function TwoStep({ profile, passkeyOrigin }: { profile: Profile; passkeyOrigin: string }) {
  const [factors, again] = useFetched('api/second-factor', readFactors);
  const { form, open, done, setDone, ...shared } = useForm<OpenFactorForm>(again);
  const [shown, show] = useState<TwoStepView>({ kind: 'list' });
  const [problem, setProblem] = useState('');
  const start = async (): Promise<void> => {
    const response = await sendToApi('POST', 'api/second-factor/totp');
    const offer = response.kind === 'ok' ? readOffer(response.body) : undefined;
    setProblem(offer ? '' : response.kind === 'ok' ? words.ui.common.unreadable : problemOf(response));
    setDone('');
    if (offer) show({ kind: 'setup', offer });
  };
  /** A user who had to do this first goes where the login would have led. */
  const finish = (): void => {
    if (profile.mustEnrol) {
      location.assign(baseUrl);
      return;
    }
    show({ kind: 'list' });
    shared.onDone(words.secondFactor.isSetUp);
  };
  const onConfirmed = (codes: readonly string[]): void =>
    codes.length > 0 ? show({ kind: 'codes', codes }) : finish();
  return (
    <RecordsPage
      title={words.secondFactor.title}
      lead={profile.mustEnrol ? words.secondFactor.leadRequired : words.secondFactor.lead}
      {...{ done, problem }}
      fetched={factors}
      onRetry={again}
    >
      {(state) => (
        <>
          {shown.kind === 'list' && (
            <>
              <Factors {...{ state, open }} onStart={() => void start()} />
              <Passkeys
                passkeys={state.passkeys}
                origin={passkeyOrigin}
                isForAdmin={isAdmin(profile)}
                onAdded={onConfirmed}
                onDone={shared.onDone}
                onRemoved={(text) => (state.required ? location.reload() : shared.onDone(text))}
              />
            </>
          )}
          {shown.kind === 'setup' && (
            <TotpSetup offer={shown.offer} onConfirmed={onConfirmed} onCancel={() => show({ kind: 'list' })} />
          )}
          {shown.kind === 'codes' && <RecoveryCodes name={profile.name} codes={shown.codes} onDone={finish} />}
          {form === 'remove' && <RemoveTotp {...shared} isRequired={state.required} />}
          {form === 'codes' && <NewCodes onClose={shared.onClose} onMade={(codes) => show({ kind: 'codes', codes })} />}
        </>
      )}
    </RecordsPage>
  );
}

interface FactorsProps {
  readonly state: FactorState;
  readonly open: (form: OpenFactorForm) => void;
  readonly onStart: () => void;
}

function Factors({ state: { totp: hasTotp, recovery_codes_left: codesLeft, passkeys }, open, onStart }: FactorsProps) {
  return (
    <Records>
      <RecordItem
        name={words.secondFactor.app}
        badges={
          <Badge text={hasTotp ? words.secondFactor.on : words.secondFactor.off} kind={hasTotp ? 'strong' : 'plain'} />
        }
        facts={[[words.secondFactor.what, words.secondFactor.appWhat]]}
        actions={
          <>
            <button class={`button ${hasTotp ? 'button-small' : 'button-strong'}`} type="button" onClick={onStart}>
              {hasTotp ? words.secondFactor.replace : words.secondFactor.setUp}
            </button>
            {hasTotp && (
              <button class="button button-small button-bad" type="button" onClick={() => open('remove')}>
                {words.secondFactor.remove}
              </button>
            )}
          </>
        }
      />
      {(hasTotp || passkeys.length > 0) && (
        <RecordItem
          name={words.secondFactor.codes}
          facts={[[words.secondFactor.codesLeft, String(codesLeft)]]}
          actions={
            <button class="button button-small" type="button" onClick={() => open('codes')}>
              {words.secondFactor.newCodes}
            </button>
          }
        />
      )}
    </Records>
  );
}

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function RemoveTotp({ isRequired, onClose, onDone }: DialogProps & { isRequired: boolean }) {
  const remove = async () =>
    settled(await sendToApi('DELETE', 'api/second-factor/totp'), () =>
      isRequired ? location.reload() : onDone(words.secondFactor.removed),
    );
  return (
    <FormDialog
      title={words.secondFactor.removeTitle}
      submit={words.secondFactor.remove}
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{isRequired ? words.secondFactor.removeRequired : words.secondFactor.removeWhat}</p>
    </FormDialog>
  );
}

function NewCodes({ onClose, onMade }: { onClose: () => void; onMade: (codes: readonly string[]) => void }) {
  const make = async (): Promise<string | undefined> => {
    const response = await sendToApi('POST', 'api/second-factor/recovery-codes');
    if (response.kind !== 'ok') return problemOf(response);
    return void onMade(readRecoveryCodes(response.body));
  };
  return (
    <FormDialog
      title={words.secondFactor.newCodes}
      submit={words.secondFactor.newCodes}
      onSubmit={make}
      onClose={onClose}
    >
      <p>{words.secondFactor.newCodesWhat}</p>
    </FormDialog>
  );
}
