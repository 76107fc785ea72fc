/** Filter fields: the text is applied when the field loses the focus, or at Enter, not for every letter. */
import { useId } from 'preact/hooks';
import { Labelled } from '../../shared/forms/labelled.tsx';
import { useDraft } from './use-draft.ts';

interface DraftProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function DraftNumber({ label, value, onChange }: DraftProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label }}>
      <input id={id} type="number" min="0" step="any" {...useDraft(value, onChange)} />
    </Labelled>
  );
}

/** The API has scores from 0 to 1, the page percentages. */
export function DraftPercent({ label, value, onChange }: DraftProps) {
  const percent = Math.round(Number(value) * 100);
  return (
    <DraftNumber
      label={label}
      value={value === '' || Number.isNaN(percent) ? '' : String(percent)}
      onChange={(text) => onChange(text === '' ? '' : String(Number(text) / 100))}
    />
  );
}
