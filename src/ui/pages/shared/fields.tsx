/** The fields of forms: a label above, help and what is wrong below. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useFault } from './forms.tsx';
import { words } from './words.ts';

interface FieldProps {
  /** The name by which a problem of the form finds its field. */
  readonly name?: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string;
}

type ControlProps = ReturnType<typeof describedBy> & { readonly id: string };

/** A field below its label; `control` is given what ties it to both, and to the sentence that says what is wrong. */
function Field(
  props: Pick<FieldProps, 'name' | 'label' | 'help'> & {
    readonly control: (tied: ControlProps) => ComponentChildren;
  },
) {
  const { name, label, help, control } = props;
  const id = useId();
  const fault = useFault(name);
  return <Labelled {...{ id, label, help, fault }}>{control({ id, ...describedBy(id, help, fault) })}</Labelled>;
}

interface TextFieldProps extends FieldProps {
  readonly isOptional?: boolean;
  readonly autocomplete?: string;
  /** Enter then does not send the form. */
  readonly onEnter?: () => void;
}

export const TextField = ({ value, onChange, isOptional, autocomplete = 'off', onEnter, ...field }: TextFieldProps) => (
  <Field
    {...field}
    control={(tied) => (
      <input
        {...tied}
        type="text"
        value={value}
        required={!isOptional}
        autocomplete={autocomplete}
        autocapitalize="none"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !onEnter) return;
          event.preventDefault();
          onEnter();
        }}
      />
    )}
  />
);

/** A moment to the minute, as the browser asks for it. */
export const MomentField = ({ value, onChange, ...field }: FieldProps) => (
  <Field
    {...field}
    control={(tied) => (
      <input {...tied} type="datetime-local" value={value} onInput={(event) => onChange(event.currentTarget.value)} />
    )}
  />
);

export const TextArea = ({ value, onChange, ...field }: FieldProps) => (
  <Field
    {...field}
    control={(tied) => (
      <textarea
        {...tied}
        rows={4}
        value={value}
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  />
);

interface PasswordFieldProps extends FieldProps {
  readonly autocomplete: 'new-password' | 'current-password';
  /** Shows a button that generates a password, for setting the password of another user. */
  readonly onSuggest?: () => void;
}

const SHOWN = { type: 'text' } as const;
const HIDDEN = { type: 'password' } as const;

export function PasswordField({ value, onChange, autocomplete, onSuggest, ...field }: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false);
  const suggest = (): void => {
    onSuggest?.();
    setIsShown(true);
  };
  return (
    <Field
      {...field}
      control={(tied) => (
        <>
          <div class="password-box">
            <input
              {...tied}
              {...(isShown ? SHOWN : HIDDEN)}
              value={value}
              required
              autocomplete={autocomplete}
              maxLength={1024}
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
        </>
      )}
    />
  );
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly (readonly [value: string, text: string])[];
}

export const SelectField = ({ value, onChange, options, ...field }: SelectFieldProps) => (
  <Field
    {...field}
    control={(tied) => (
      <select {...tied} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    )}
  />
);

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

interface SearchBoxProps {
  readonly label: string;
  /** What it says while it is empty; the label without it. */
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Looks for what is typed in it, while it is typed. Enter sends no form around it. */
export const SearchBox = ({ label, placeholder = label, value, onChange }: SearchBoxProps) => (
  <input
    type="search"
    aria-label={label}
    placeholder={placeholder}
    value={value}
    onInput={(event) => onChange(event.currentTarget.value)}
    onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
  />
);

interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly legend: string;
  readonly isLegendShown?: boolean;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { name, legend, isLegendShown = false, options, chosen, onChoose } = props;
  return (
    <fieldset class="choice">
      <legend class={isLegendShown ? 'choice-legend' : 'out-of-sight'}>{legend}</legend>
      <div class="choice-options">
        {options.map(([value, text]) => (
          <label key={value} class="choice-option">
            <input type="radio" name={name} value={value} checked={chosen === value} onChange={() => onChoose(value)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface LabelledProps {
  /** The id of the field; its help is `<id>-help`, its fault `<id>-fault`. */
  readonly id: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly fault?: string | undefined;
  readonly children: ComponentChildren;
}

export const Labelled = ({ id, label, help, fault, children }: LabelledProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    <Fault {...{ id, fault }} />
    {help !== undefined && (
      <p id={`${id}-help`} class="field-help">
        {help}
      </p>
    )}
  </div>
);

export const Fault = ({ id, fault }: { id: string; fault: string | undefined }) =>
  fault === undefined ? null : (
    <p id={`${id}-fault`} class="field-fault">
      <bdi>{fault}</bdi>
    </p>
  );

/** Only what is there can be pointed at. */
function describedBy(id: string, help: string | undefined, fault?: string) {
  const ids = [fault === undefined ? '' : `${id}-fault`, help === undefined ? '' : `${id}-help`].filter(Boolean);
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(fault !== undefined && { 'aria-invalid': true }),
  };
}
