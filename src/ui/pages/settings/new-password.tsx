/** The field for a new password, with how strong it looks while it is typed. Nothing of it is sent before the form is (SPEC 12). */
import { said } from '../../../locales/texts.ts';
import { isUnfit, type Strength, shortestPassword, strengthOf } from '../shared/account/password-strength.ts';
import { PasswordField } from '../shared/forms/form-fields.tsx';
import { useFault } from '../shared/forms/use-form.ts';
import { words } from '../shared/words.ts';
import { suggestedPassword } from './names.ts';

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
