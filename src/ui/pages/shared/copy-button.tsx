/** A button that copies a text. Where the browser allows no copying (plain HTTP) it marks the text, to be copied by hand. */
import { useState } from 'preact/hooks';
import { words } from './words.ts';

interface CopyButtonProps {
  readonly text: string;
  /** Says what is copied, where it is not shown beside the button. */
  readonly label?: string;
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'selectAndCopy'>();
  if (label !== undefined && !('clipboard' in navigator)) return null;
  const copy = async (button: Element): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
    } catch {
      if (select(button.parentElement?.querySelector('code, pre'))) setOutcome('selectAndCopy');
    }
  };
  return (
    <button class="button" type="button" onClick={({ currentTarget }) => void copy(currentTarget)}>
      {outcome ? words.ui.common[outcome] : (label ?? words.ui.common.copy)}
    </button>
  );
}

/** Whether there was something to mark. */
function select(shown: Element | null | undefined): boolean {
  if (!shown) return false;
  getSelection()?.selectAllChildren(shown);
  return true;
}
