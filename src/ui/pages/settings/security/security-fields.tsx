/** The fields of the page Security: what a variable sets is only shown, and what this browser knows is offered (SPEC 1, 12). */
import { useId } from 'preact/hooks';
import { baseUrl } from '../../shared/base-url.ts';
import { SelectField, TextField } from '../../shared/forms/form-fields.tsx';
import { Labelled } from '../../shared/forms/labelled.tsx';
import { words } from '../../shared/words.ts';
import type { SecuritySettings } from './read-security.ts';
import { FACTOR_CHOICES, type SecurityChoice } from './security-lines.ts';

interface FieldsProps {
  readonly settings: SecuritySettings;
  readonly choice: SecurityChoice;
  readonly onChange: (choice: SecurityChoice) => void;
}

export function SecurityFields({ settings: { choice: before, setBy }, choice, onChange }: FieldsProps) {
  const { secondFactor, timezone, publicUrl } = choice;
  const text = words.security;
  const put = (field: keyof SecurityChoice) => (to: string) => onChange({ ...choice, [field]: to });
  const choices = FACTOR_CHOICES.filter((name) => name !== 'off' || before.secondFactor === 'off');
  return (
    <>
      {setBy.secondFactor === undefined ? (
        <SelectField
          name="secondFactor"
          label={words.twoStep.title}
          value={secondFactor}
          onChange={put('secondFactor')}
          options={choices.map((name) => [name, text.choices[name]] as const)}
          {...(['admins', 'everyone'].includes(secondFactor) && { help: text.enrol })}
        />
      ) : (
        <Fixed label={words.twoStep.title} value={secondFactor} variable={setBy.secondFactor} />
      )}
      {setBy.timezone === undefined ? (
        <>
          <TextField
            name="timezone"
            label={text.timezone}
            value={timezone}
            onChange={put('timezone')}
            help={text.timezoneHelp}
            isOptional
          />
          <Suggestion value={ownZone()} before={before.timezone} typed={timezone} onUse={put('timezone')} />
        </>
      ) : (
        <Fixed label={text.timezone} value={timezone} variable={setBy.timezone} />
      )}
      {setBy.publicUrl === undefined ? (
        <>
          <TextField
            name="publicUrl"
            label={text.publicUrl}
            value={publicUrl}
            onChange={put('publicUrl')}
            help={text.publicUrlHelp}
            isOptional
          />
          <Suggestion value={ownAddress()} before={before.publicUrl} typed={publicUrl} onUse={put('publicUrl')} />
        </>
      ) : (
        <Fixed label={text.publicUrl} value={publicUrl} variable={setBy.publicUrl} />
      )}
    </>
  );
}

const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The address at hand is the public one for most who use HTTPS. */
const ownAddress = (): string => (baseUrl.protocol === 'https:' ? baseUrl.href.replace(/\/$/, '') : '');

interface SuggestionProps {
  readonly value: string;
  readonly before: string;
  readonly typed: string;
  readonly onUse: (value: string) => void;
}

/** Stays when it was used, so that nothing moves. */
const Suggestion = ({ value, before, typed, onUse }: SuggestionProps) =>
  value === '' || value === before ? null : (
    <p class="chips">
      <button class="button button-small" type="button" disabled={typed === value} onClick={() => onUse(value)}>
        {words.security.use(value)}
      </button>
    </p>
  );

function Fixed({ label, value, variable }: { label: string; value: string; variable: string }) {
  const id = useId();
  return (
    <Labelled {...{ id, label }} help={words.security.setBy(variable)}>
      <input id={id} type="text" value={value} disabled aria-describedby={`${id}-help`} />
    </Labelled>
  );
}
