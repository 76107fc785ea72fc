/** The dialog that asks for the password, a code or a passkey again: the only one, over whatever page is shown (SPEC 12). */
import { useState } from 'preact/hooks';
import { type FactorState, goToProvider, sendPasskey } from '../shared/account.ts';
import type { AnswerOf } from '../shared/answers.ts';
import { problemOf, sendToApi, useFetched, useList, valueOr } from '../shared/api.ts';
import { OwnName, PasswordField, TextField } from '../shared/fields.tsx';
import { FormDialog, type Sent } from '../shared/forms.tsx';
import { Button, Problem } from '../shared/parts.tsx';
import { hasPasskeysFor, showPasskey } from '../shared/webauthn.ts';
import { facts, words } from '../shared/words.ts';

export function ProofDialog({ onAnswer }: { onAnswer: (isProven: boolean) => void }) {
  const factors = valueOr(useFetched<FactorState | undefined>('api/second-factor')[0], undefined);
  const [isByCode, setIsByCode] = useState(false);
  const [problem, setProblem] = useState('');
  // The browser leaves the page for a provider: what was to be done is done after the way back.
  const path = facts.providers.length > 0 && 'api/account/sign-ins';
  const signIns = valueOr(useList<AnswerOf<'SIGN_IN'>>(path)[0], []);
  const usable = facts.providers.filter(({ name }) => signIns.some(({ provider }) => provider === name));
  const askProvider = async (provider: string): Promise<void> => {
    const return_to = `${location.pathname}${location.search}`;
    setProblem((await goToProvider('api/reauthenticate', { provider, return_to })) ?? '');
  };
  const text = words.proof;
  const proveByPasskey = async (): Promise<void> => {
    setProblem('');
    const sent = await sendPasskey('api/reauthenticate', showPasskey, text.passkeyProblems);
    if (typeof sent === 'string') return setProblem(sent);
    if (sent.kind === 'ok') return onAnswer(true);
    setProblem(sent.kind === 'refused' && sent.status === 401 ? text.passkeyWrong : problemOf(sent));
  };
  const prove = async ({ code, current }: { readonly code: string; readonly current: string }): Promise<Sent> => {
    const response = await sendToApi('POST', 'api/reauthenticate', isByCode ? { code } : { password: current });
    if (response.kind === 'ok') return void onAnswer(true);
    if (response.kind !== 'refused' || response.status !== 401) return response;
    return { faults: isByCode ? { code: words.secondFactor.wrongCode } : { current: text.wrong } };
  };
  return (
    <FormDialog
      title={text.title}
      submit={text.submit}
      first={{ code: '', current: '' }}
      onSubmit={prove}
      onClose={() => onAnswer(false)}
    >
      {({ field }) => (
        <>
          <p>{text.why}</p>
          {factors && factors.passkeys.length > 0 && hasPasskeysFor(facts.passkeyOrigin) && (
            <Button onPress={proveByPasskey}>{text.byPasskey}</Button>
          )}
          {isByCode ? (
            <TextField label={words.ui.common.code} {...field('code')} autocomplete="one-time-code" />
          ) : (
            <>
              <OwnName />
              <PasswordField
                label={words.passwords.change.current}
                {...field('current')}
                autocomplete="current-password"
              />
            </>
          )}
          {usable.length > 0 && (
            <div>
              {usable.map(({ name, label }) => (
                <Button key={name} onPress={() => askProvider(name)}>
                  {text.byProvider({ label })}
                </Button>
              ))}
              <p class="field-help">{text.byProviderHelp}</p>
            </div>
          )}
          <Problem text={problem} />
          {factors?.totp && (
            <Button kind="plain small" onPress={() => setIsByCode(!isByCode)}>
              {isByCode ? text.byPassword : text.byCode}
            </Button>
          )}
        </>
      )}
    </FormDialog>
  );
}
