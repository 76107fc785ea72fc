/** Settings > Password: one's own; and the field for any new one, with how strong it looks while it is typed (interface 2.1, 5.1.6; SPEC 4.3, 12). */
import { said } from '../../../locales/texts.ts';
import { formatSeconds } from '../login/login-outcome.ts';
import type { Profile } from '../shared/account.ts';
import { sendToApi } from '../shared/api.ts';
import { PasswordField } from '../shared/fields.tsx';
import { faultsIn } from '../shared/form-faults.ts';
import { PanelForm, type Sent, useDialogs, useFault } from '../shared/forms.tsx';
import { isUnfit, type Strength, shortestPassword, strengthOf } from '../shared/password-strength.ts';
import { NOTHING_FETCHED, pathTo, RecordsPage } from '../shared/records-page.tsx';
import { words } from '../shared/words.ts';
import { suggestedPassword } from './names.ts';

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
    const response = await sendToApi('PUT', pathTo('api/users', name, '/password'), body);
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

/** What is wrong with a password for that user, as text, or undefined. */
export function passwordFault(password: string, userName: string): string | undefined {
  const strength = strengthOf(password, userName, shortestPassword);
  return isUnfit(strength) ? sentenceOf(strength) : undefined;
}

interface NewPasswordProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly userName: string;
  /** Shows a button that makes a password for another person. */
  readonly isSuggested?: boolean;
}

/** Nothing of it is sent before the form is. */
export function NewPassword({ label, value, onChange, userName, isSuggested = false }: NewPasswordProps) {
  const fault = useFault('password');
  const strength = value === '' ? undefined : strengthOf(value, userName, shortestPassword);
  const sentence = strength && sentenceOf(strength);
  return (
    <div>
      <PasswordField
        name="password"
        {...{ label, value, onChange }}
        {...(isSuggested && { onSuggest: () => onChange(suggestedPassword()) })}
        help={words.passwords.rules.help({ shortest: shortestPassword })}
        autocomplete="new-password"
      />
      <p class={`strength strength-${strength ?? 'none'}`} role="status">
        {/* Said once, when the form says it too. */}
        {sentence === fault ? '' : sentence}
      </p>
    </div>
  );
}

const sentenceOf = (strength: Strength): string =>
  isUnfit(strength)
    ? said(words.passwords.rules.faults[strength], { shortest: shortestPassword })
    : words.passwords.rules.strength[strength];
