/** The record as received, with the picture's bytes cut short. */
import { CopyButton } from '../../shared/copy-button.tsx';
import type { Fields } from '../../shared/forms/fields.ts';
import { words } from '../../shared/words.ts';

const SHOWN_OF_PICTURE = 24;

export function RawRecord({ record }: { record: Fields }) {
  return (
    <details class="raw">
      <summary>{words.details.rawJson}</summary>
      <pre dir="ltr">{JSON.stringify(record, shortened, 2)}</pre>
      <CopyButton text={JSON.stringify(record, null, 2)} label={words.details.copyWhole} />
    </details>
  );
}

const shortened = (key: string, value: unknown): unknown =>
  key === 'thumbnail' && typeof value === 'string' && value.length > SHOWN_OF_PICTURE
    ? `${value.slice(0, SHOWN_OF_PICTURE)}… ${words.details.characters(value.length)}`
    : value;
