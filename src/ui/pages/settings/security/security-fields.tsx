/** The fields of the page Security: what the file or a variable sets is only shown, and what this browser knows is offered (SPEC 8). */
import { baseUrl } from '../../shared/base-url.ts';
import { SelectField, TextField } from '../../shared/forms/form-fields.tsx';
import { words } from '../../shared/words.ts';
import type { SecurityRecord } from '../account-records.ts';
import { FACTOR_CHOICES, SECURITY_FIELDS, type SecurityChoice, type SecurityField } from './read-security.ts';

interface SecurityFieldsProps {
  readonly settings: SecurityRecord;
  readonly choice: SecurityChoice;
  readonly onChange: (choice: SecurityChoice) => void;
}

export const SecurityFields = ({ settings, choice, onChange }: SecurityFieldsProps) => (
  <>
    {SECURITY_FIELDS.map((field) => {
      const { value: before, set_by: place } = settings[field];
      return place === null ? (
        <Field
          key={field}
          {...{ field }}
          before={before}
          value={choice[field]}
          onChange={(value) => onChange({ ...choice, [field]: value })}
        />
      ) : (
        <p key={field}>
          {textsOf(field).label}: <bdi>{choice[field]}</bdi>
          <span class="fact-more">{words.security.setBy({ name: place })}</span>
        </p>
      );
    })}
  </>
);

interface FieldProps {
  readonly field: SecurityField;
  /** What is set. */
  readonly before: string | null;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({ field, before, value, onChange }: FieldProps) {
  const { label, help } = textsOf(field);
  const { choices, enrol, use } = words.security;
  if (field === 'second_factor')
    return (
      <SelectField
        {...{ label, value, onChange }}
        options={FACTOR_CHOICES.filter((name) => name !== 'off' || name === before).map((name) => [
          name,
          choices[name],
        ])}
        {...(/^(?:admins|everyone)$/.test(value) && { help: enrol })}
      />
    );
  const known = field === 'timezone' ? Intl.DateTimeFormat().resolvedOptions().timeZone : ownAddress();
  return (
    <>
      <TextField name={field} {...{ label, help, value, onChange }} isOptional />
      {/* Stays when it was used, so that nothing moves. */}
      {known !== '' && known !== before && (
        <p class="chips">
          <button class="button button-small" type="button" disabled={value === known} onClick={() => onChange(known)}>
            {use({ value: known })}
          </button>
        </p>
      )}
    </>
  );
}

function textsOf(field: SecurityField): { readonly label: string; readonly help: string } {
  const { timezone, timezoneHelp, publicUrl, publicUrlHelp } = words.security;
  if (field === 'second_factor') return { label: words.secondFactor.title, help: '' };
  return field === 'timezone' ? { label: timezone, help: timezoneHelp } : { label: publicUrl, help: publicUrlHelp };
}

/** The address at hand is the public one for most who use HTTPS. */
const ownAddress = (): string => (baseUrl.protocol === 'https:' ? baseUrl.href.replace(/\/$/, '') : '');
