/** The fields of forms: a label above, help and what is wrong below. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Result } from '../../../domain/result.ts';
import { useProfile } from './account.ts';
import { useFault } from './forms.tsx';
import { Button } from './parts.tsx';
import type { Option } from './spelling.ts';
import { DAY_SECONDS, words } from './words.ts';

/** `name`: the name by which a problem of the form finds its field. */
export type FieldProps = {
  name?: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  help?: string;
  /** Keeps the form from being sent. */
  wrong?: string | undefined;
};

type ControlProps = { readonly id: string; readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true };

/** A field below its label; `control` is given what ties it to both, and to the sentence that says what is wrong. */
export function Field({
  name,
  label,
  help,
  wrong,
  control,
}: Pick<FieldProps, 'name' | 'label' | 'help' | 'wrong'> & { control: (tied: ControlProps) => ComponentChildren }) {
  const id = useId();
  const fault = useFault(name, wrong);
  // Only what is there can be pointed at.
  const ids = [fault === undefined ? '' : `${id}-fault`, help === undefined ? '' : `${id}-help`].filter(Boolean);
  const described = ids.length > 0 && { 'aria-describedby': ids.join(' ') };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, ...described, ...(fault !== undefined && { 'aria-invalid': true }) })}
      <Fault {...{ id, fault }} />
      {help !== undefined && (
        <p id={`${id}-help`} class="field-help">
          {help}
        </p>
      )}
    </div>
  );
}

export const Fault = ({ id, fault }: { id: string; fault: string | undefined }) =>
  fault === undefined ? null : (
    <p id={`${id}-fault`} class="field-fault">
      <bdi>{fault}</bdi>
    </p>
  );

const SHOWN = { type: 'text' } as const;
const HIDDEN = { type: 'password' } as const;
const MOMENT = { type: 'datetime-local' } as const;

interface TextFieldProps extends FieldProps {
  readonly placeholder?: string;
  readonly isOptional?: boolean;
  readonly autocomplete?: string;
  /** Digits alone: a phone shows its keyboard of digits. */
  readonly isNumeric?: boolean;
  /** A moment to the minute, as the browser asks for it. */
  readonly isMoment?: boolean;
  /** Enter then does not send the form. */
  readonly onEnter?: () => void;
}

export function TextField(props: TextFieldProps) {
  const { value, onChange, isOptional, autocomplete = 'off', isNumeric, isMoment, onEnter, ...field } = props;
  return (
    <Field
      {...field}
      control={(tied) => (
        <input
          {...tied}
          {...(isMoment ? MOMENT : SHOWN)}
          value={value}
          placeholder={props.placeholder}
          required={!isOptional}
          autocomplete={autocomplete}
          inputMode={isNumeric ? 'numeric' : undefined}
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
}

interface NameFieldProps extends FieldProps {
  readonly parse: (name: string) => Pick<Result<unknown, unknown>, 'ok'>;
  /** Said of a name that cannot be one, and of one that there is. */
  readonly faults: { readonly nameUnfit: string; readonly taken: string };
  readonly known: readonly string[];
}

/** The name of a new user or role. A blank becomes an underscore while it is typed: no name may have one. */
export const NameField = ({ onChange, parse, faults, known, ...field }: NameFieldProps) => (
  <TextField
    {...field}
    wrong={!parse(field.value).ok ? faults.nameUnfit : known.includes(field.value) ? faults.taken : undefined}
    onChange={(typed) => onChange(typed.replaceAll(' ', '_'))}
  />
);

/** What people call a thing. */
export const TitleField = (field: FieldProps) => (
  <TextField {...field} wrong={field.value.trim() === '' ? words.tokens.nameMissing : undefined} />
);

export const TextArea = ({ value, onChange, ...field }: FieldProps) => (
  <Field
    {...field}
    control={(tied) => (
      <textarea
        {...tied}
        rows={2}
        value={value}
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  />
);

type PasswordFieldProps = FieldProps & { autocomplete: `${'new' | 'current'}-password`; onSuggest?: () => void };

/** `onSuggest`: shows a button that generates a password, for setting the password of another user. */
export function PasswordField({ value, onChange, autocomplete, onSuggest, ...field }: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false);
  const suggest = (): void => {
    onSuggest?.();
    setIsShown(true);
  };
  const text = words.ui.common;
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
              aria-label={isShown ? text.hidePassword : text.showPassword}
              onClick={() => setIsShown(!isShown)}
            >
              {isShown ? text.hide : text.show}
            </button>
          </div>
          {onSuggest && (
            <Button kind="plain small" onPress={suggest}>
              {words.users.suggest}
            </Button>
          )}
        </>
      )}
    />
  );
}

/** The name of the person for a password manager, which has to know whose password is asked for. It takes no focus: a dialog would give it to its first field. */
export const OwnName = () => (
  <span class="out-of-sight" inert>
    <input type="text" autocomplete="username" value={useProfile().username} readOnly />
  </span>
);

type SelectFieldProps = FieldProps & { options: readonly (Option | string)[] };

export const SelectField = ({ value, onChange, options, ...field }: SelectFieldProps) => (
  <Field
    {...field}
    control={(tied) => (
      <select {...tied} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {value === '' && !options.some(([option]) => option === '') && (
          <option value="">{words.ui.common.choose}</option>
        )}
        {options
          .map((option) => (typeof option === 'string' ? ([option, option] as const) : option))
          .map(([option, text]) => (
            <option key={option} value={option} selected={option === value}>
              {text}
            </option>
          ))}
      </select>
    )}
  />
);

type SwitchProps = { label: ComponentChildren; value: boolean; onChange: (isOn: boolean) => void };

export const Switch = ({ label, value, onChange }: SwitchProps) => (
  <label class="switch">
    <input
      type="checkbox"
      role="switch"
      checked={value}
      aria-checked={value}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span class="row switch-text">{label}</span>
  </label>
);

interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly legend: string;
  readonly isLegendShown?: boolean;
  readonly options: readonly Option<Value>[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

/** One of a few, side by side: radio buttons that look like a switch. */
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

/** Seconds. */
// biome-ignore format: a table
export const LIFETIMES: Readonly<Record<string, number | undefined>> = {
  hour:   3600,
  day:    DAY_SECONDS,
  week:   7 * DAY_SECONDS,
  days30: 30 * DAY_SECONDS,
  days90: 90 * DAY_SECONDS,
  year:   365 * DAY_SECONDS,
};

/** The end of a grant with that lifetime, in Unix seconds; null for never. */
export function endAfter(lifetime: string): number | null {
  const seconds = LIFETIMES[lifetime];
  return seconds === undefined ? null : Math.floor(Date.now() / 1000) + seconds;
}

export const LifetimeField = (field: Omit<FieldProps, 'label'>) => (
  <SelectField
    label={words.tokens.expires}
    wrong={field.value === '' ? words.tokens.expiryMissing : undefined}
    {...field}
    options={Object.entries(words.tokens.lifetimes)}
  />
);
