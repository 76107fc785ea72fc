/** What limits a role beside its cameras (denied verbs, hours, how far back it sees), and a guest: the validity of the account (SPEC 13). */
import { parseDuration } from '../../../domain/clock.ts';
import { VERBS, VIEWING_KINDS } from '../../../domain/policy.ts';
import type { RoleRecord, UserRecord } from '../shared/answers.ts';
import { Switch, TextField } from '../shared/fields.tsx';
import type { FormState } from '../shared/forms.tsx';
import { Button } from '../shared/parts.tsx';
import { fromLocalInput, toLocalInput, withToggled } from '../shared/spelling.ts';
import { DAY_SECONDS, formatDuration, formatShortMoment, words } from '../shared/words.ts';
import {
  dayNames,
  END_NAMES,
  findEnd,
  formatHours,
  type HoursRow,
  hoursInWords,
  parseHoursLine,
} from './typed-hours.ts';

/** What a press adds; its days and times can be changed then. */
const OFFERED = ['daily 09:00-18:00', 'Mon-Fri 09:00-18:00'];

type HoursRowsProps = { readonly value: readonly string[]; readonly onChange: (hours: readonly string[]) => void };

/** Hours of a role to click: a row for each line, with days as buttons and two times (SPEC 13). */
function HoursRows({ value: lines, onChange }: HoursRowsProps) {
  const put = (at: number, ...rows: readonly HoursRow[]): void =>
    onChange(lines.toSpliced(at, 1, ...rows.map(formatHours)));
  return (
    <fieldset class="camera-choice">
      <legend>{words.roles.hours}</legend>
      {lines.map((line, at) => {
        const row = parseHoursLine(line);
        return row && <Row key={at} row={row} onChange={(next) => put(at, next)} onRemove={() => put(at)} />;
      })}
      <div class="row">
        <Button kind="small" aria-pressed={lines.length === 0} onPress={() => onChange([])}>
          {words.roles.anyTime}
        </Button>
        {OFFERED.map((line) => (
          <Button
            key={line}
            kind="small"
            aria-pressed={lines.includes(line)}
            onPress={() => onChange(withToggled(lines, line))}
          >
            {hoursInWords(line)}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

function Row({ row, onChange, onRemove }: { row: HoursRow; onChange: (row: HoursRow) => void; onRemove: () => void }) {
  const { days, from, to } = row;
  // The last day stays: a row without days is removed by its button.
  const switchDay = (day: number): void => {
    const next = withToggled(days, day);
    if (next.length > 0) onChange({ ...row, days: next });
  };
  const time = (label: string, value: string, put: (value: string) => HoursRow) => (
    <input
      type="time"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => currentTarget.value !== '' && onChange(put(currentTarget.value))}
    />
  );
  return (
    <div class="row hours-row">
      {dayNames().short.map((name, day) => (
        <Button key={name} kind="small day" aria-pressed={days.includes(day)} onPress={() => switchDay(day)}>
          {name}
        </Button>
      ))}
      <span class="row hours-times">
        {time(words.roles.hoursFrom, from, (value) => ({ ...row, from: value }))}
        <span aria-hidden="true">–</span>
        {time(words.roles.hoursTo, to, (value) => ({ ...row, to: value }))}
        <Button kind="plain small" onPress={onRemove}>
          {words.roles.removeHours}
        </Button>
      </span>
    </div>
  );
}

/** A new role looks, and neither moves cameras nor talks through them. */
const DENIED_AT_FIRST: readonly string[] = ['ptz', 'talk'];

/** The limits as they are chosen. */
export const typedLimits = (role: RoleRecord | undefined) => ({
  deny: role ? ((role.deny ?? []) as readonly string[]) : DENIED_AT_FIRST,
  hours: (role?.hours ?? []) as readonly string[],
  historySince: role?.history_since ?? '',
});
type TypedLimits = ReturnType<typeof typedLimits>;

/** The limits as the API takes them: null for no limit. */
export const requestedLimits = ({ deny, hours, historySince }: TypedLimits): object => ({
  deny,
  hours,
  history_since: historySince.trim() === '' ? null : historySince.trim(),
});

/** How far back a role may see, as it is offered. */
const PASTS = ['', '1d', '7d', '30d', 'grant'];

/** What few change is folded, and said in short. */
export function RoleLimitFields({ values: { deny, historySince }, put, field }: FormState<TypedLimits>) {
  return (
    <>
      <HoursRows {...field('hours')} />
      <details class="more-fields">
        <summary>
          {words.explore.filters.more}{' '}
          <span class="field-help">
            {limitFacts({ deny, history_since: historySince })
              .map((fact) => fact.join(': '))
              .join('. ')}
          </span>
        </summary>
        <fieldset class="camera-choice">
          <legend>{words.roles.may}</legend>
          <div class="switches">
            {VERBS.map((verb) => (
              <Switch
                key={verb}
                label={words.roles.verbs[verb]}
                value={!deny.includes(verb)}
                onChange={() => put({ deny: withToggled(deny, verb) })}
              />
            ))}
          </div>
        </fieldset>
        <TextField
          label={words.roles.historySince}
          help={words.roles.historySinceHelp}
          isOptional
          {...field('historySince')}
        />
        <div class="chips">
          {PASTS.map((past) => (
            <Button key={past} onPress={() => put({ historySince: past })}>
              {limitFacts({ history_since: past })[0]?.[1] ?? words.roles.noLimit}
            </Button>
          ))}
        </div>
      </details>
    </>
  );
}

type Limits = { readonly deny?: readonly string[] | undefined } & Partial<Pick<RoleRecord, 'hours' | 'history_since'>>;

/** The facts of a role that has limits. */
export function limitFacts({ deny = [], hours = [], history_since = '' }: Limits): (readonly [string, string])[] {
  const known = VERBS.filter((verb) => deny.includes(verb)).map((verb) => words.roles.verbs[verb]);
  // Their pages are there, and show nothing.
  const empty = VIEWING_KINDS.filter((verb) => deny.includes(verb)).map((verb) => words.roles.emptyPages[verb]);
  const seconds = parseDuration(history_since);
  const lookBack = seconds === undefined ? history_since : formatDuration(seconds);
  const facts: (readonly [string, string])[] = [
    [words.roles.mayNot, known.join(', ')],
    [words.roles.hours, hours.map((line) => hoursInWords(line)).join('; ')],
    [words.roles.historySince, history_since === 'grant' ? words.roles.sinceGrant : lookBack],
    [words.roles.sees, empty.join(' ')],
  ];
  return facts.filter(([, text]) => text !== '');
}

/** Values of `datetime-local` fields; empty for no end. */
type TypedValidity = { readonly from: string; readonly until: string };

export const NO_ENDS: TypedValidity = { from: '', until: '' };

export const validityOf = ({ valid_from: from, valid_until: until }: UserRecord): TypedValidity => ({
  from: toLocalInput(from),
  until: toLocalInput(until),
});

/** The moments as the API takes them: null for no end. */
export const askedValidity = ({ from, until }: TypedValidity): object => ({
  valid_from: fromLocalInput(from) ?? null,
  valid_until: fromLocalInput(until) ?? null,
});

export const ValidityFields = ({ values: { from, until }, put, field }: FormState<TypedValidity>) => (
  <>
    <TextField isMoment label={words.users.validFrom} isOptional {...field('from')} />
    <TextField
      isMoment
      label={words.users.validUntil}
      isOptional
      wrong={from !== '' && until !== '' && until <= from ? words.users.validityOrder : undefined}
      {...field('until')}
    />
    <div class="chips">
      {END_NAMES.map((name) => (
        <Button key={name} onPress={() => put({ until: toLocalInput(findEnd(name, new Date())) })}>
          {words.users.ends[name]}
        </Button>
      ))}
    </div>
    <p class="field-help">{words.users.validityHelp}</p>
  </>
);

/** Undefined for an account that lasts. */
export function guestText({ valid_from: from, valid_until: until }: UserRecord): string | undefined {
  const now = Date.now() / 1000;
  if (until !== undefined && until <= now) return words.users.ended({ moment: formatShortMoment(until) });
  if (from !== undefined && now < from) return words.users.notBegun({ moment: formatShortMoment(from) });
  if (until === undefined) return undefined;
  const left = until - now;
  // Whole days: the moment tells the rest.
  const shown = left < DAY_SECONDS ? left : left - (left % DAY_SECONDS);
  return words.users.leftUntil({ left: formatDuration(shown), moment: formatShortMoment(until) });
}
