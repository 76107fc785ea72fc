/** The form that is open over a page of the settings, and what the last one has done. */
import { useState } from 'preact/hooks';

/** `again` has the page read anew what a form has changed; `first` is open at once. */
export function useForm<Form>(again: () => void, first?: Form) {
  const [form, open] = useState(first);
  const [done, setDone] = useState('');
  const onDone = (text: string): void => {
    setDone(text);
    again();
  };
  return { form, open, done, setDone, onDone, onClose: (): void => open(undefined) };
}
