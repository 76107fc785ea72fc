/** Settings > Security: two-step login, time zone and public address, kept in the store; what the file or a variable sets is only shown (SPEC 8). */
import { canonicalZone } from '../../../domain/zone-offsets.ts';
import { type FactorState, hasFactor, useProfile } from '../shared/account.ts';
import type { AnswerOf } from '../shared/answers.ts';
import { sendToApi, useFetched, valueOr } from '../shared/api.ts';
import { baseUrl } from '../shared/browser.ts';
import { Field, type FieldProps, SelectField, TextField } from '../shared/fields.tsx';
import { FormDialog, PanelForm, reload } from '../shared/forms.tsx';
import { Button } from '../shared/parts.tsx';
import { isPerson } from '../shared/pieces.tsx';
import { RecordsPage } from '../shared/records-page.tsx';
import { words } from '../shared/words.ts';

type SecurityRecord = AnswerOf<'SETTINGS'>;
type SecurityField = keyof SecurityRecord;

/** Texts as they are typed; empty: not set. */
type SecurityChoice = Readonly<Record<SecurityField, string>>;

const FIELDS = ['second_factor', 'timezone', 'public_url'] as const satisfies readonly SecurityField[];
const FACTOR_CHOICES = ['off', 'optional', 'admins', 'everyone'] as const;

/** What differs from what is set. Null: not set any more. */
const listChanges = (choice: SecurityChoice, settings: SecurityRecord): Partial<Record<SecurityField, string | null>> =>
  Object.fromEntries(
    FIELDS.map((field) => [field, choice[field].trim() || null] as const).filter(
      ([field, text]) => text !== settings[field].value,
    ),
  );

const isOwed = (choice: string | null | undefined): boolean => choice === 'admins' || choice === 'everyone';

export function Security() {
  const fetched = useFetched<SecurityRecord>('api/settings');
  const factors = valueOr(
    useFetched<FactorState | undefined>(isPerson(useProfile()) && 'api/second-factor')[0],
    undefined,
  );
  const text = words.security;
  const labels = { second_factor: words.secondFactor.title, timezone: text.timezone, public_url: text.publicUrl };
  const helps = { second_factor: '', timezone: text.timezoneHelp, public_url: text.publicUrlHelp };
  return (
    <RecordsPage {...{ fetched }} title={text.title} lead={text.lead}>
      {(settings, page) => (
        <PanelForm
          first={Object.fromEntries(FIELDS.map((field) => [field, settings[field].value ?? ''])) as SecurityChoice}
          hasChanged={(choice) => Object.keys(listChanges(choice, settings)).length > 0}
          onSubmit={(choice) => {
            const changes = listChanges(choice, settings);
            const send = () => sendToApi('PUT', 'api/settings', changes);
            const isLedOut = isOwed(changes.second_factor) && factors && !hasFactor(factors);
            if (!isLedOut) return send();
            // What comes next is said before it comes.
            page.open(<FormDialog {...text.leaving} onSubmit={send} done={reload} />);
            return Promise.resolve('');
          }}
          onSent={(choice) => {
            // Who must set up a second step now sees that page alone.
            if ('second_factor' in listChanges(choice, settings)) return location.reload();
            page.say(text.saved);
            page.again();
          }}
        >
          {({ values, field: of }) =>
            FIELDS.map((field) => {
              const { value: before, set_by: place } = settings[field];
              return place === null ? (
                <SettingField key={field} {...{ before }} label={labels[field]} help={helps[field]} {...of(field)} />
              ) : (
                <Field
                  key={field}
                  label={labels[field]}
                  help={`${helps[field]} ${text.setBy({ name: place.replace(/^.*\/|(:\d+)+$/g, '') })}`.trim()}
                  control={(tied) => <input {...tied} title={place} value={values[field]} readOnly />}
                />
              );
            })
          }
        </PanelForm>
      )}
    </RecordsPage>
  );
}

/** Only this machine's own may do without encryption. */
const isAddress = (text: string): boolean =>
  URL.canParse(text) && /^(https:|http:\/\/(localhost|127\.[\d.]+|\[::1\])([:/]|$))/i.test(text);

/** `before`: what is set. */
type SecurityFieldProps = FieldProps & { name: SecurityField; help: string; before: string | null };

function SettingField({ name, label, help, before, value, onChange }: SecurityFieldProps) {
  const { choices, enrol, use, timezoneUnfit, publicUrlUnfit } = words.security;
  if (name === 'second_factor')
    return (
      <SelectField
        {...{ label, value, onChange }}
        options={FACTOR_CHOICES.filter((one) => one !== 'off' || one === before).map((one) => [one, choices[one]])}
        {...(isOwed(value) && { help: enrol({ whom: value }) })}
      />
    );
  // What this browser knows is offered. The address at hand is the public one for most who use HTTPS.
  const address = baseUrl.protocol === 'https:' ? baseUrl.href.replace(/\/$/, '') : '';
  const [known, isFit, unfit, placeholder] =
    name === 'timezone'
      ? [Intl.DateTimeFormat().resolvedOptions().timeZone, canonicalZone, timezoneUnfit, '']
      : [address, isAddress, publicUrlUnfit, 'https://nvr.example.com'];
  const typed = value.trim();
  const wrong = typed === '' || typed === before || isFit(typed) ? undefined : unfit;
  return (
    <>
      <TextField {...{ name, label, help, value, onChange, wrong, placeholder }} isOptional />
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
