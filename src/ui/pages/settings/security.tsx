/** Settings > Security: two-step login, time zone and public address, kept in the store; what the file or a variable sets is only shown (SPEC 8). */

import { sendToApi } from '../shared/api.ts';
import { baseUrl } from '../shared/browser.ts';
import { SelectField, TextField } from '../shared/fields.tsx';
import { faultsIn } from '../shared/form-faults.ts';
import { PanelForm, useDialogs } from '../shared/forms.tsx';
import { Button } from '../shared/parts.tsx';
import { RecordsPage } from '../shared/records-page.tsx';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import {
  changesOf,
  choiceOf,
  FACTOR_CHOICES,
  faultOf,
  SECURITY_FIELDS,
  type SecurityChoice,
  type SecurityField,
  type SecurityRecord,
} from './read-security.ts';

export function Security() {
  return (
    <RecordsPage
      title={words.security.title}
      lead={words.security.lead}
      fetched={useFetched<SecurityRecord>('api/settings')}
    >
      {(settings) => <SecurityForm settings={settings} />}
    </RecordsPage>
  );
}

function SecurityForm({ settings }: { settings: SecurityRecord }) {
  const page = useDialogs();
  const before = choiceOf(settings);
  const text = words.security;
  const save = async (choice: SecurityChoice) => {
    page.say('');
    const changes = changesOf(choice, before);
    const faults = SECURITY_FIELDS.map((field) => [field, faultOf(field, changes[field])] as const);
    const wrong = faultsIn(Object.fromEntries(faults.map(([field, fault]) => [field, fault && text[fault]])));
    return wrong ?? sendToApi('PUT', 'api/settings', changes);
  };
  return (
    <PanelForm
      submit={words.ui.common.save}
      first={before}
      onSubmit={save}
      onSent={(choice) => {
        // Who must set up a second step now sees that page alone.
        if ('second_factor' in changesOf(choice, before)) return location.reload();
        page.say(text.saved);
        page.again();
      }}
    >
      {({ values, field: of }) =>
        SECURITY_FIELDS.map((field) => {
          const { value: before, set_by: place } = settings[field];
          return place === null ? (
            <Field key={field} field={field} before={before} {...of(field)} />
          ) : (
            <p key={field}>
              {textsOf(field).label}: <bdi>{values[field]}</bdi>
              <span class="fact-more">{text.setBy({ name: place })}</span>
            </p>
          );
        })
      }
    </PanelForm>
  );
}

/** `before`: what is set. */
type FieldProps = { field: SecurityField; before: string | null; value: string; onChange: (value: string) => void };

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
  // What this browser knows is offered. The address at hand is the public one for most who use HTTPS.
  const address = baseUrl.protocol === 'https:' ? baseUrl.href.replace(/\/$/, '') : '';
  const known = field === 'timezone' ? Intl.DateTimeFormat().resolvedOptions().timeZone : address;
  return (
    <>
      <TextField name={field} {...{ label, help, value, onChange }} isOptional />
      {/* Stays when it was used, so that nothing moves. */}
      {known !== '' && known !== before && (
        <p class="chips">
          <Button kind="small" disabled={value === known} onPress={() => onChange(known)}>
            {use({ value: known })}
          </Button>
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
