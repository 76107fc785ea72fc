/** The fields of a form for a guest: the first and the last moment of the account (SPEC 13). */
import { useId } from 'preact/hooks';
import { fromLocalInput, toLocalInput } from '../../explore/filter/local-input.ts';
import { describedBy, Labelled } from '../../shared/forms/labelled.tsx';
import { useFault } from '../../shared/forms/use-problem.ts';
import { words } from '../../shared/words.ts';
import { END_NAMES, endOf } from './ends.ts';

/** Values of `datetime-local` fields; empty for no end. */
export interface TypedValidity {
  readonly from: string;
  readonly until: string;
}

export const NO_ENDS: TypedValidity = { from: '', until: '' };

/** The moments as the API takes them: null for no end. */
export const askedValidity = ({ from, until }: TypedValidity): object => ({
  valid_from: fromLocalInput(from) ?? null,
  valid_until: fromLocalInput(until) ?? null,
});

/** A span that ends before it begins. */
export const validityFault = ({ from, until }: TypedValidity): string | undefined =>
  from !== '' && until !== '' && until <= from ? words.users.validityOrder : undefined;

interface ValidityFieldsProps {
  readonly validity: TypedValidity;
  readonly onChange: (validity: TypedValidity) => void;
}

export const ValidityFields = ({ validity, onChange }: ValidityFieldsProps) => (
  <>
    <MomentField
      name="from"
      label={words.users.validFrom}
      value={validity.from}
      onChange={(from) => onChange({ ...validity, from })}
    />
    <MomentField
      name="until"
      label={words.users.validUntil}
      value={validity.until}
      onChange={(until) => onChange({ ...validity, until })}
    />
    <div class="chips">
      {END_NAMES.map((name) => (
        <button
          key={name}
          class="button"
          type="button"
          onClick={() => onChange({ ...validity, until: toLocalInput(endOf(name, new Date())) })}
        >
          {words.users.ends[name]}
        </button>
      ))}
    </div>
    <p class="field-help">{words.users.validityHelp}</p>
  </>
);

interface MomentFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function MomentField({ name, label, value, onChange }: MomentFieldProps) {
  const id = useId();
  const fault = useFault(name);
  return (
    <Labelled {...{ id, label, fault }}>
      <input
        id={id}
        type="datetime-local"
        value={value}
        {...describedBy(id, undefined, fault)}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Labelled>
  );
}
