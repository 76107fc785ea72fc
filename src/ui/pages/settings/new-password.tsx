/** The field for a new password, with how strong it looks while it is typed (SPEC 12). */
import type { ComponentProps } from 'preact';
import { said } from '../../../locales/texts.ts';
import { PasswordField } from '../shared/fields.tsx';
import { useFault } from '../shared/forms.tsx';
import { facts } from '../shared/page-facts.ts';
import { isUnfit, judgeStrength, type Strength } from '../shared/password-strength.ts';
import { words } from '../shared/words.ts';
import { suggestedPassword } from './names.ts';

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
