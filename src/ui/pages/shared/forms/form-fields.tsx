/** The fields of the forms: a label above, help below. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { words } from '../words.ts';
import { describedBy, Labelled } from './labelled.tsx';
import { useFault } from './use-problem.ts';

interface FieldProps {
  /** The name by which a problem of the form finds its field. */
  readonly name?: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string;
  readonly isOptional?: boolean;
  readonly autocomplete?: string;
  /** Enter then does not send the form. */
  readonly onEnter?: () => void;
}

export function TextField({ name, label, value, onChange, help, isOptional = false, ...more }: FieldProps) {
  const id = useId();
  const fault = useFault(name);
  return (
    <Labelled {...{ id, label, help, fault }}>
      <input
        id={id}
        type="text"
        value={value}
        required={!isOptional}
        autocomplete={more.autocomplete ?? 'off'}
        autocapitalize="none"
        spellcheck={false}
        {...describedBy(id, help, fault)}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !more.onEnter) return;
          event.preventDefault();
          more.onEnter();
        }}
      />
    </Labelled>
  );
}

export function TextArea({ name, label, value, onChange, help }: FieldProps) {
  const id = useId();
  const fault = useFault(name);
  return (
    <Labelled {...{ id, label, help, fault }}>
      <textarea
        id={id}
        rows={4}
        value={value}
        spellcheck={false}
        {...describedBy(id, help, fault)}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Labelled>
  );
}

interface PasswordFieldProps extends Omit<FieldProps, 'isOptional'> {
  readonly autocomplete: 'new-password' | 'current-password';
  /** Shows a button that generates a password, for setting the password of another user. */
  readonly onSuggest?: () => void;
}

const SHOWN = { type: 'text' } as const;
const HIDDEN = { type: 'password' } as const;

export function PasswordField({ name, label, value, onChange, help, autocomplete, onSuggest }: PasswordFieldProps) {
  const id = useId();
  const fault = useFault(name);
  const [isShown, setIsShown] = useState(false);
  const suggest = (): void => {
    onSuggest?.();
    setIsShown(true);
  };
  return (
    <Labelled {...{ id, label, help, fault }}>
      <div class="password-box">
        <input
          id={id}
          {...(isShown ? SHOWN : HIDDEN)}
          value={value}
          required
          autocomplete={autocomplete}
          maxLength={1024}
          {...describedBy(id, help, fault)}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <button
          class="reveal"
          type="button"
          aria-label={isShown ? words.ui.common.hidePassword : words.ui.common.showPassword}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? words.ui.common.hide : words.ui.common.show}
        </button>
      </div>
      {onSuggest && (
        <button class="button button-plain button-small" type="button" onClick={suggest}>
          {words.users.suggest}
        </button>
      )}
    </Labelled>
  );
}

interface SelectFieldProps extends Pick<FieldProps, 'name' | 'label' | 'value' | 'onChange' | 'help'> {
  readonly options: readonly (readonly [value: string, text: string])[];
}

export function SelectField({ name, label, value, onChange, options, help }: SelectFieldProps) {
  const id = useId();
  const fault = useFault(name);
  return (
    <Labelled {...{ id, label, help, fault }}>
      <select
        id={id}
        value={value}
        {...describedBy(id, help, fault)}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface SwitchProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ComponentChildren;
}

export const Switch = ({ isOn, onChange, children }: SwitchProps) => (
  <label class="switch">
    <input
      type="checkbox"
      role="switch"
      checked={isOn}
      aria-checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span class="switch-text">{children}</span>
  </label>
);
