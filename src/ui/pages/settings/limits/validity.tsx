/** The validity of a guest: the fields of a form for its first and last moment, and how much of it is left (SPEC 13). */
import { fromLocalInput, toLocalInput } from '../../explore/filter/event-filter.ts';
import { MomentField } from '../../shared/forms/form-fields.tsx';
import type { FormState } from '../../shared/forms/use-form.ts';
import { formatDuration, formatShortMoment } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { UserRecord } from '../account-records.ts';
import { END_NAMES, endOf } from './ends.ts';

/** Values of `datetime-local` fields; empty for no end. */
interface TypedValidity {
  readonly from: string;
  readonly until: string;
}

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

/** A span that ends before it begins. */
export const validityFault = ({ from, until }: TypedValidity): string | undefined =>
  from !== '' && until !== '' && until <= from ? words.users.validityOrder : undefined;

export const ValidityFields = ({ put, field }: FormState<TypedValidity>) => (
  <>
    <MomentField label={words.users.validFrom} {...field('from')} />
    <MomentField label={words.users.validUntil} {...field('until')} />
    <div class="chips">
      {END_NAMES.map((name) => (
        <button
          key={name}
          class="button"
          type="button"
          onClick={() => put({ until: toLocalInput(endOf(name, new Date())) })}
        >
          {words.users.ends[name]}
        </button>
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
  return until === undefined
    ? undefined
    : words.users.leftUntil({ left: formatDuration(until - now), moment: formatShortMoment(until) });
}
