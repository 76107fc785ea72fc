/** The dialog that asks for the password or a code again: the only one, over whatever page is shown (SPEC 12). */
import { useEffect, useState } from 'preact/hooks';
import { formatSeconds } from '../login/login-outcome.ts';
import { readFactors } from '../settings/two-step/factor-state.ts';
import { sendToApi } from '../shared/api.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { PasswordField, TextField } from '../shared/form-fields.tsx';
import { problemOf } from '../shared/problem-of.ts';
import { askForProofBy } from '../shared/proof.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import type { Profile } from './profile.ts';

export function ProofDialog({ profile }: { profile: Profile }) {
  const [answer, setAnswer] = useState<(isProven: boolean) => void>();
  useEffect(() => {
    askForProofBy(() => new Promise((resolve) => setAnswer(() => resolve)));
  }, []);
  if (!answer) return null;
  const close = (isProven: boolean): void => {
    setAnswer(undefined);
    answer(isProven);
  };
  return <Question {...{ profile }} onAnswer={close} />;
}

function Question({ profile, onAnswer }: { profile: Profile; onAnswer: (isProven: boolean) => void }) {
  const [factors] = useFetched('api/second-factor', readFactors);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [isByCode, setIsByCode] = useState(false);
  const hasCodes = factors.kind === 'ready' && factors.value.hasTotp;
  const prove = async (): Promise<string | undefined> => {
    const response = await sendToApi('POST', 'api/reauthenticate', isByCode ? { code } : { password });
    if (response.kind === 'ok') return void onAnswer(true);
    if (response.kind !== 'refused') return problemOf(response);
    if (response.status === 401) return isByCode ? words.login.wrongCode : words.proof.wrong;
    if (response.status !== 429) return problemOf(response);
    return words.password.tooMany(formatSeconds(Number(response.retryAfter) || 60));
  };
  return (
    <FormDialog title={words.proof.title} submit={words.proof.submit} onSubmit={prove} onClose={() => onAnswer(false)}>
      <p>{words.proof.why}</p>
      {isByCode ? (
        <TextField label={words.loginPage.code} value={code} onChange={setCode} autocomplete="one-time-code" />
      ) : (
        <>
          {/* A password manager has to know whose password this is. */}
          <span class="out-of-sight" aria-hidden="true">
            <input type="text" autocomplete="username" value={profile.name} readOnly tabIndex={-1} />
          </span>
          <PasswordField
            label={words.password.current}
            value={password}
            onChange={setPassword}
            autocomplete="current-password"
          />
        </>
      )}
      {hasCodes && (
        <button class="button button-plain button-small" type="button" onClick={() => setIsByCode(!isByCode)}>
          {isByCode ? words.proof.byPassword : words.proof.byCode}
        </button>
      )}
    </FormDialog>
  );
}
