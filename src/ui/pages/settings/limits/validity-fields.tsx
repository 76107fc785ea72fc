/** From when and until when a guest may use the account: the fields of a form (SPEC 13). */
import { useId } from 'preact/hooks';
import { fromLocalInput } from '../../explore/filter/local-input.ts';
import { Labelled } from '../../shared/labelled.tsx';
import { words } from '../../shared/words.ts';

/** Values of `datetime-local` fields; empty for no end. */
export interface TypedValidity {
  readonly from: string;
  readonly until: string;
}

export const NO_ENDS: TypedValidity = { from: '', until: '' };

/** As the API takes it: null for no end. */
export const askedValidity = ({ from, until }: TypedValidity): object => ({
  valid_from: fromLocalInput(from) ?? null,
  valid_until: fromLocalInput(until) ?? null,
});

interface FieldsProps {
  readonly validity: TypedValidity;
  readonly onChange: (validity: TypedValidity) => void;
}

export const ValidityFields = ({ validity, onChange }: FieldsProps) => (
  <>
    <MomentField
      label={words.users.validFrom}
      value={validity.from}
      onChange={(from) => onChange({ ...validity, from })}
    />
    <MomentField
      label={words.users.validUntil}
      value={validity.until}
      onChange={(until) => onChange({ ...validity, until })}
    />
    <p class="field-help">{words.users.validityHelp}</p>
  </>
);

interface MomentFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function MomentField({ label, value, onChange }: MomentFieldProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label, help: undefined }}>
      <input id={id} type="datetime-local" value={value} onInput={(event) => onChange(event.currentTarget.value)} />
    </Labelled>
  );
}
