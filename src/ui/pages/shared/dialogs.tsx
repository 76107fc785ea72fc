/** The dialogs of a page: one is open at a time, and the page says what the last one has done. */
import { type ComponentChild, type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

export interface PageDialogs {
  /** What the page shows is there: a dialog is made of it. */
  readonly isReady: boolean;
  /** Shows a dialog in the place of the one that is open; nothing closes it. */
  readonly open: (dialog: ComponentChild) => void;
  /** Says what was done; '' takes back what was said. */
  readonly say: (text: string) => void;
  /** Reads anew what the page shows. */
  readonly again: () => void;
}

export const DialogsContext = createContext<PageDialogs>({
  isReady: false,
  open: () => {},
  say: () => {},
  again: () => {},
});

export const useDialogs = (): PageDialogs => useContext(DialogsContext);

interface OpenerProps {
  readonly kind?: 'strong' | 'bad' | 'small' | 'small button-bad';
  readonly dialog: () => ComponentChild;
  readonly children: ComponentChildren;
}

/** A button that opens a dialog of the page. */
export function Opener({ kind, dialog, children }: OpenerProps) {
  const { isReady, open } = useDialogs();
  const look = kind ? `button button-${kind}` : 'button';
  return (
    <button class={look} type="button" disabled={!isReady} onClick={() => open(dialog())}>
      {children}
    </button>
  );
}
