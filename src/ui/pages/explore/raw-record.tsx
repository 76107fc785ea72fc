/** The record as it came, for those who want to know: the picture's bytes cut short. */
import { useState } from 'preact/hooks';
import type { Fields } from '../shared/fields.ts';

const SHOWN_OF_PICTURE = 24;

export function RawRecord({ record }: { record: Fields }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(JSON.stringify(record, null, 2));
    setIsCopied(true);
  };
  return (
    <details class="raw">
      <summary>Raw JSON</summary>
      <pre dir="ltr">{JSON.stringify(record, shortened, 2)}</pre>
      {'clipboard' in navigator && (
        <button class="button" type="button" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy it whole'}
        </button>
      )}
    </details>
  );
}

const shortened = (key: string, value: unknown): unknown =>
  key === 'thumbnail' && typeof value === 'string' && value.length > SHOWN_OF_PICTURE
    ? `${value.slice(0, SHOWN_OF_PICTURE)}… (${value.length} characters)`
    : value;
