/** The dialog that asks for the password, a code or a passkey again: the only one, over whatever page is shown (SPEC 12). */
import { useState } from 'preact/hooks';
import { formatSeconds } from '../login/login-outcome.ts';
import { goToProvider, NO_FACTORS, type Profile, readFactors } from '../shared/account.ts';
import type { SignInRecord } from '../shared/answers.ts';
import { sendToApi } from '../shared/api.ts';
import { PasswordField, TextField } from '../shared/fields.tsx';
import type { FormProblem } from '../shared/form-faults.ts';
import { FormDialog } from '../shared/forms.tsx';
import type { SignInProvider } from '../shared/page-facts.ts';
import { problemOf } from '../shared/problems.ts';
import { recordsIn } from '../shared/untrusted.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { hasPasskeysFor, passkeyProblemOf, showPasskey } from '../shared/webauthn.ts';
import { words } from '../shared/words.ts';

export interface ProofDialogProps {
  readonly onAnswer: (isProven: boolean) => void;
  readonly profile: Profile;
  /** The address that passkeys are made for; '' without passkeys. */
  readonly passkeyOrigin: string;
  readonly providers: readonly SignInProvider[];
}

export function ProofDialog({ profile, passkeyOrigin, providers, onAnswer }: ProofDialogProps) {
  const [factors] = useFetched('api/second-factor', readFactors);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [isByCode, setIsByCode] = useState(false);
  const [passkeyProblem, setPasskeyProblem] = useState('');
  const { totp: hasCodes, passkeys } = factors.kind === 'ready' ? factors.value : NO_FACTORS;
  const hasPasskey = passkeys.length > 0 && hasPasskeysFor(passkeyOrigin);
  const proveByPasskey = async (): Promise<void> => {
    setPasskeyProblem('');
    const problem = await showPasskeyAsProof();
    if (problem === undefined) onAnswer(true);
    else setPasskeyProblem(problem);
  };
  const prove = async (): Promise<FormProblem | undefined> => {
    const response = await sendToApi('POST', 'api/reauthenticate', isByCode ? { code } : { password });
    if (response.kind === 'ok') return void onAnswer(true);
    if (response.kind !== 'refused') return problemOf(response);
    if (response.status === 401) {
      return { faults: isByCode ? { code: words.secondFactor.wrongCode } : { current: words.proof.wrong } };
    }
    if (response.status !== 429) return problemOf(response);
    return words.passwords.change.tooMany({ time: formatSeconds(Number(response.retryAfter) || 60) });
  };
  return (
    <FormDialog title={words.proof.title} submit={words.proof.submit} onSubmit={prove} onClose={() => onAnswer(false)}>
      <p>{words.proof.why}</p>
      {isByCode ? (
        <TextField
          name="code"
          label={words.ui.common.code}
          value={code}
          onChange={setCode}
          autocomplete="one-time-code"
        />
      ) : (
        <>
          {/* A password manager has to know whose password this is. */}
          <span class="out-of-sight" aria-hidden="true">
            <input type="text" autocomplete="username" value={profile.name} readOnly tabIndex={-1} />
          </span>
          <PasswordField
            name="current"
            label={words.passwords.change.current}
            value={password}
            onChange={setPassword}
            autocomplete="current-password"
          />
        </>
      )}
      {hasPasskey && (
        <div>
          <button class="button" type="button" onClick={() => void proveByPasskey()}>
            {words.proof.byPasskey}
          </button>
          <div class="notice notice-bad" role="alert">
            {passkeyProblem}
          </div>
        </div>
      )}
      <ByProvider providers={providers} />
      {hasCodes && (
        <button class="button button-plain button-small" type="button" onClick={() => setIsByCode(!isByCode)}>
          {isByCode ? words.proof.byPassword : words.proof.byCode}
        </button>
      )}
    </FormDialog>
  );
}

/** The browser leaves the page: what was to be done is done after the way back. */
function ByProvider({ providers }: Pick<ProofDialogProps, 'providers'>) {
  const [signIns] = useFetched(providers.length > 0 ? 'api/account/sign-ins' : undefined, recordsIn<SignInRecord>);
  const [problem, setProblem] = useState('');
  const connected = signIns.kind === 'ready' ? signIns.value.map(({ provider }) => provider) : [];
  const ask = async (provider: string): Promise<void> => {
    const wrong = await goToProvider('api/reauthenticate', {
      provider,
      return_to: `${location.pathname}${location.search}`,
    });
    setProblem(typeof wrong === 'string' ? wrong : '');
  };
  const usable = providers.filter(({ name }) => connected.includes(name));
  if (usable.length === 0) return null;
  return (
    <div>
      {usable.map(({ name, label }) => (
        <button key={name} class="button" type="button" onClick={() => void ask(name)}>
          {words.proof.byProvider({ label })}
        </button>
      ))}
      <p class="field-help">{words.proof.byProviderHelp}</p>
      <div class="notice notice-bad" role="alert">
        {problem}
      </div>
    </div>
  );
}

/** What is wrong, as text, or undefined when the proof was given. */
async function showPasskeyAsProof(): Promise<string | undefined> {
  const options = await sendToApi('POST', 'api/reauthenticate/options');
  if (options.kind !== 'ok') return problemOf(options);
  try {
    const asked = { signal: new AbortController().signal, isConditional: false };
    const credential = await showPasskey(options.body, asked);
    const response = await sendToApi('POST', 'api/reauthenticate', { credential });
    if (response.kind === 'ok') return undefined;
    return response.kind === 'refused' && response.status === 401 ? words.proof.passkeyWrong : problemOf(response);
  } catch (fault) {
    return words.proof.passkeyProblems[passkeyProblemOf(fault)];
  }
}
