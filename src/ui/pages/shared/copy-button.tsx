/** A button that copies a text. Without a clipboard (plain HTTP) there is no button: the text can be selected. */
import { useState } from 'preact/hooks';
import { words } from './words.ts';

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  if (!('clipboard' in navigator)) return null;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
    } catch {
      // The browser forbids it: the text can still be selected.
    }
  };
  return (
    <button class="button" type="button" onClick={() => void copy()}>
      {isCopied ? words.common.copied : (label ?? words.common.copy)}
    </button>
  );
}
