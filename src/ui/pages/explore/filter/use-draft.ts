/** The text being typed into a filter: it survives the response to an earlier request, and not every letter sends one. */
import type { TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type DraftChange = (value: string) => void;

/** Applied when the field loses the focus, or at Enter. */
export function useDraft(value: string, onChange: DraftChange) {
  const [draft, onInput] = useTyped(value);
  return {
    value: draft,
    onInput,
    onChange: (event: TargetedEvent<HTMLInputElement>) => onChange(event.currentTarget.value),
  };
}

const PATIENCE_MILLISECONDS = 600;

/** Applied after a pause: a date is typed part by part, and in between the year is 2, or 20. */
export function useSettled(value: string, onChange: DraftChange) {
  const [draft, onInput] = useTyped(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (draft === value) return undefined;
    const timer = setTimeout(() => latest.current(draft), PATIENCE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [draft]);
  return { value: draft, onInput };
}

function useTyped(value: string): [draft: string, onInput: (event: TargetedEvent<HTMLInputElement>) => void] {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  return [draft, (event) => setDraft(event.currentTarget.value)];
}
