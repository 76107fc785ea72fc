/** Settings > Password: one's own (interface 2.1, 5.1.6; SPEC 4.3). */
import type { ComponentProps } from 'preact';
import { said } from '../../../locales/texts.ts';
import { useProfile } from '../shared/account.ts';
import { goOn, sendToApi } from '../shared/api.ts';
import { OwnName, PasswordField } from '../shared/fields.tsx';
import { PanelForm, useDialogs, useFault } from '../shared/forms.tsx';
import { isUnfit, judgeStrength, suggestedPassword } from '../shared/password-strength.ts';
import { pathTo, RecordsPage } from '../shared/records-page.tsx';
import { facts, words } from '../shared/words.ts';

export function Password() {
  const { title, lead, leadFirst } = words.passwords.change;
  return (
    <RecordsPage title={title} lead={useProfile().password_is_generated ? leadFirst : lead}>
      {() => <PasswordForm />}
    </RecordsPage>
  );
}

const EMPTY = { current: '', password: '', again: '' };

function PasswordForm() {
  const { username: name, password_is_generated: isFirst } = useProfile();
  const page = useDialogs();
  const text = words.passwords.change;
  return (
    <PanelForm
      submit={text.change}
      first={EMPTY}
      onSubmit={({ current, password }) =>
        sendToApi('PUT', pathTo('api/users', name, '/password'), { password, old_password: current })
      }
      onSent={(_, __, put) => {
        if (isFirst) return goOn();
        put(EMPTY);
        page.say(`${text.changed} ${words.sessions.endMany.own.done}`);
      }}
    >
      {({ values, field }) => (
        <>
          <OwnName />
          <PasswordField label={text.current} {...field('current')} autocomplete="current-password" />
          <NewPassword label={text.new} userName={name} {...field('password')} />
          <PasswordField
            label={text.again}
            wrong={values.password === values.again ? undefined : text.differ}
            {...field('again')}
            autocomplete="new-password"
          />
        </>
      )}
    </PanelForm>
  );
}

type NewPasswordProps = Pick<ComponentProps<typeof PasswordField>, 'label' | 'value' | 'onChange'> & {
  /** Whose it is: a password must not hold the name. */
  readonly userName: string;
  /** Shows a button that makes a password for another person. */
  readonly isSuggested?: boolean;
};

/** The field for a new password, with how strong it looks while it is typed (SPEC 12). Nothing of it is sent before the form is. One sentence at a time: the rules, then what the text lacks or how strong it looks. */
export function NewPassword({ label, value, onChange, userName, isSuggested = false }: NewPasswordProps) {
  const strength = judgeStrength(value, userName, facts.shortestPassword);
  const sentence = isUnfit(strength)
    ? said(words.passwords.rules.faults[strength], { shortest: facts.shortestPassword })
    : words.passwords.rules.strength[strength];
  const fault = useFault('password');
  return (
    <div>
      <PasswordField
        name="password"
        {...{ label, value, onChange }}
        wrong={isUnfit(strength) ? sentence : undefined}
        {...(isSuggested && { onSuggest: () => onChange(suggestedPassword()) })}
        {...(value === '' && { help: words.passwords.rules.help({ shortest: facts.shortestPassword }) })}
        autocomplete="new-password"
      />
      <p class={`strength strength-${value === '' ? 'none' : strength}`} role="status">
        {value !== '' && fault === undefined && sentence}
      </p>
    </div>
  );
}
