/** Settings > Password: one's own (interface 2.1, 5.1.6; SPEC 4.3). */
import { useState } from 'preact/hooks';
import { formatSeconds } from '../login/login-outcome.ts';
import type { Profile } from '../shared/account/profile.ts';
import { type ApiResponse, sendToApi } from '../shared/api.ts';
import { type FormProblem, faultsIn } from '../shared/forms/form-faults.ts';
import { PasswordField } from '../shared/forms/form-fields.tsx';
import { PanelForm } from '../shared/forms/panel-form.tsx';
import { formProblemOf } from '../shared/forms/problem-of.ts';
import { words } from '../shared/words.ts';
import { NewPassword, usePasswordFault } from './new-password.tsx';
import { Done, PageHead } from './records.tsx';

export function Password({ profile }: { profile: Profile }) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [problem, setProblem] = useState<FormProblem>('');
  const [done, setDone] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const passwordFault = usePasswordFault();

  const change = async (): Promise<void> => {
    const wrong = faultsIn({
      password: passwordFault(password, profile.name),
      again: password === repeated ? undefined : words.passwords.change.differ,
    });
    setDone('');
    setProblem(wrong ?? '');
    if (wrong !== undefined) return;
    setIsBusy(true);
    const body = { password, old_password: current };
    const response = await sendToApi('PUT', `api/users/${encodeURIComponent(profile.name)}/password`, body);
    setIsBusy(false);
    if (response.kind !== 'ok') return setProblem(passwordProblem(response));
    if (profile.mustChangePassword) return location.reload();
    for (const empty of [setCurrent, setPassword, setRepeated]) empty('');
    setDone(words.passwords.change.changed);
  };
  return (
    <section class="records-page">
      <PageHead
        title={words.passwords.change.title}
        lead={profile.mustChangePassword ? words.passwords.change.leadFirst : words.passwords.change.lead}
      />
      <Done text={done} />
      <PanelForm
        submit={words.passwords.change.change}
        submitting={words.ui.common.saving}
        onSubmit={change}
        {...{ isBusy, problem, setProblem }}
      >
        {/* A password manager has to know whose password this is. */}
        <span class="out-of-sight" aria-hidden="true">
          <input type="text" autocomplete="username" value={profile.name} readOnly tabIndex={-1} />
        </span>
        <PasswordField
          name="current"
          label={words.passwords.change.current}
          value={current}
          onChange={setCurrent}
          autocomplete="current-password"
        />
        <NewPassword
          label={words.passwords.change.new}
          userName={profile.name}
          value={password}
          onChange={setPassword}
        />
        <PasswordField
          name="again"
          label={words.passwords.change.again}
          value={repeated}
          onChange={setRepeated}
          autocomplete="new-password"
        />
      </PanelForm>
    </section>
  );
}

function passwordProblem(response: Exclude<ApiResponse, { kind: 'ok' }>): FormProblem {
  if (response.kind !== 'refused') return formProblemOf(response);
  if (response.status === 401) return { faults: { current: words.passwords.change.wrong } };
  if (response.status !== 429) return formProblemOf(response);
  return words.passwords.change.tooMany({ time: formatSeconds(Number(response.retryAfter) || 60) });
}
