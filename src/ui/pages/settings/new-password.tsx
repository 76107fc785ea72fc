/** The field for a new password, with how strong it looks while it is typed (SPEC 12). */
import type { ComponentProps } from 'preact';
import { said } from '../../../locales/texts.ts';
import { PasswordField } from '../shared/fields.tsx';
import { useFault } from '../shared/forms.tsx';
import { isUnfit, judgeStrength, suggestedPassword } from '../shared/password-strength.ts';
import { facts, words } from '../shared/words.ts';

type NewPasswordProps = Pick<ComponentProps<typeof PasswordField>, 'label' | 'value' | 'onChange'> & {
  /** Whose it is: a password must not hold the name. */
  readonly userName: string;
  /** Shows a button that makes a password for another person. */
  readonly isSuggested?: boolean;
};

/** Nothing of it is sent before the form is. One sentence at a time: the rules, then what the text lacks or how strong it looks. */
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
