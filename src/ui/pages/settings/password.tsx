/** Settings > Password: one's own; and the field for any new one, with how strong it looks while it is typed (interface 2.1, 5.1.6; SPEC 4.3, 12). */
import type { ComponentProps } from 'preact';
import { said } from '../../../locales/texts.ts';
import { formatSeconds } from '../login/login-outcome.ts';
import { useProfile } from '../shared/account.ts';
import { sendToApi } from '../shared/api.ts';
import { OwnName, PasswordField } from '../shared/fields.tsx';
import { faultsIn } from '../shared/form-faults.ts';
import { PanelForm, type Sent, useDialogs, useFault } from '../shared/forms.tsx';
import { facts } from '../shared/page-facts.ts';
import { isUnfit, judgeStrength, type Strength } from '../shared/password-strength.ts';
import { NOTHING_FETCHED, pathTo, RecordsPage } from '../shared/records-page.tsx';
import { words } from '../shared/words.ts';
import { suggestedPassword } from './names.ts';

export function Password() {
  const { title, lead, leadFirst } = words.passwords.change;
  return (
    <RecordsPage title={title} lead={useProfile().password_is_generated ? leadFirst : lead} fetched={NOTHING_FETCHED}>
      {() => <PasswordForm />}
    </RecordsPage>
  );
}

const EMPTY = { current: '', password: '', again: '' };

function PasswordForm() {
  const { username: name, password_is_generated: isFirst } = useProfile();
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
        if (isFirst) return location.reload();
        put(EMPTY);
        page.say(text.changed);
      }}
    >
      {({ field }) => (
        <>
          <OwnName />
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
  const strength = judgeStrength(password, userName, facts.shortestPassword);
  return isUnfit(strength) ? sentenceOf(strength) : undefined;
}

type NewPasswordProps = Pick<ComponentProps<typeof PasswordField>, 'label' | 'value' | 'onChange'> & {
  readonly userName: string;
  /** Shows a button that makes a password for another person. */
  readonly isSuggested?: boolean;
};

/** Nothing of it is sent before the form is. */
export function NewPassword({ label, value, onChange, userName, isSuggested = false }: NewPasswordProps) {
  const fault = useFault('password');
  const strength = value === '' ? undefined : judgeStrength(value, userName, facts.shortestPassword);
  const sentence = strength && sentenceOf(strength);
  return (
    <div>
      <PasswordField
        name="password"
        {...{ label, value, onChange }}
        {...(isSuggested && { onSuggest: () => onChange(suggestedPassword()) })}
        help={words.passwords.rules.help({ shortest: facts.shortestPassword })}
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
    ? said(words.passwords.rules.faults[strength], { shortest: facts.shortestPassword })
    : words.passwords.rules.strength[strength];
