/** The field for a new password, with how strong it looks while it is typed. Nothing of it is sent before the form is (SPEC 12). */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { said } from '../../../locales/texts.ts';
import { isUnfit, type Strength, strengthOf } from '../shared/account/password-strength.ts';
import { PasswordField } from '../shared/forms/form-fields.tsx';
import { useFault } from '../shared/forms/use-problem.ts';
import { words } from '../shared/words.ts';

/** `auth.password_min_length`, as the server says. */
export const ShortestPassword = createContext(12);

/** What is wrong with a password for that user, as text, or undefined. */
export function usePasswordFault(): (password: string, userName: string) => string | undefined {
  const shortest = useContext(ShortestPassword);
  return (password, userName) => {
    const strength = strengthOf(password, userName, shortest);
    return isUnfit(strength) ? said(words.passwords.rules.faults[strength], { shortest }) : undefined;
  };
}

interface NewPasswordProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly userName: string;
  readonly onSuggest?: () => void;
}

export function NewPassword({ value, userName, ...field }: NewPasswordProps) {
  const shortest = useContext(ShortestPassword);
  const fault = useFault('password');
  const strength = value === '' ? undefined : strengthOf(value, userName, shortest);
  const sentence = strength && sentenceOf(strength, shortest);
  return (
    <div>
      <PasswordField
        name="password"
        {...field}
        value={value}
        help={words.passwords.rules.help({ shortest })}
        autocomplete="new-password"
      />
      <p class={`strength strength-${strength ?? 'none'}`} role="status">
        {/* Said once, when the form says it too. */}
        {sentence === fault ? '' : sentence}
      </p>
    </div>
  );
}

const sentenceOf = (strength: Strength, shortest: number): string =>
  isUnfit(strength)
    ? said(words.passwords.rules.faults[strength], { shortest })
    : words.passwords.rules.strength[strength];
