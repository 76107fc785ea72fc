/** The text being typed into a filter: it survives the response to an earlier request, and not every letter sends one. */
import type { TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type DraftEvent = TargetedEvent<HTMLInputElement>;

/** Applied when the field loses the focus, or at Enter. */
export function useDraft(value: string, onChange: (value: string) => void) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  return {
    value: draft,
    onInput: ({ currentTarget }: DraftEvent) => setDraft(currentTarget.value),
    onChange: ({ currentTarget }: DraftEvent) => onChange(currentTarget.value),
  };
}

const PATIENCE_MILLISECONDS = 600;

/** Applied after a pause: a date is typed part by part, and in between the year is 2, or 20. */
export function useSettled(value: string, onChange: (value: string) => void) {
  const { onChange: _, ...field } = useDraft(value, onChange);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (field.value === value) return undefined;
    const timer = setTimeout(() => latest.current(field.value), PATIENCE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [field.value]);
  return field;
}
