/** Settings > Password: one's own (interface 2.1, 5.1.6; SPEC 4.3). */
import { formatSeconds } from '../login/login-outcome.ts';
import type { Profile } from '../shared/account/profile.ts';
import { sendToApi } from '../shared/api.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { faultsIn } from '../shared/forms/form-faults.ts';
import { PasswordField } from '../shared/forms/form-fields.tsx';
import { PanelForm } from '../shared/forms/panel-form.tsx';
import type { Sent } from '../shared/forms/use-form.ts';
import { words } from '../shared/words.ts';
import { NewPassword, passwordFault } from './new-password.tsx';
import { NOTHING_FETCHED, RecordsPage } from './page.tsx';

export function Password({ profile }: { profile: Profile }) {
  const { title, lead, leadFirst } = words.passwords.change;
  return (
    <RecordsPage {...{ title }} lead={profile.mustChangePassword ? leadFirst : lead} fetched={NOTHING_FETCHED}>
      {() => <PasswordForm profile={profile} />}
    </RecordsPage>
  );
}

const EMPTY = { current: '', password: '', again: '' };

function PasswordForm({ profile: { name, mustChangePassword } }: { profile: Profile }) {
  const page = useDialogs();
  const text = words.passwords.change;
  const change = async ({ current, password, again }: typeof EMPTY): Promise<Sent> => {
    page.say('');
    const wrong = faultsIn({
      password: passwordFault(password, name),
      again: password === again ? undefined : text.differ,
    });
    if (wrong !== undefined) return wrong;
    const body = { password, old_password: current };
    const response = await sendToApi('PUT', `api/users/${encodeURIComponent(name)}/password`, body);
    if (response.kind !== 'refused') return response;
    if (response.status === 401) return { faults: { current: text.wrong } };
    return response.status === 429
      ? text.tooMany({ time: formatSeconds(Number(response.retryAfter) || 60) })
      : response;
  };
  return (
    <PanelForm
      submit={text.change}
      first={EMPTY}
      onSubmit={change}
      onSent={(_, __, put) => {
        if (mustChangePassword) return location.reload();
        put(EMPTY);
        page.say(text.changed);
      }}
    >
      {({ field }) => (
        <>
          {/* A password manager has to know whose password this is. */}
          <span class="out-of-sight" aria-hidden="true">
            <input type="text" autocomplete="username" value={name} readOnly tabIndex={-1} />
          </span>
          <PasswordField label={text.current} {...field('current')} autocomplete="current-password" />
          <NewPassword label={text.new} userName={name} {...field('password')} />
          <PasswordField label={text.again} {...field('again')} autocomplete="new-password" />
        </>
      )}
    </PanelForm>
  );
}
