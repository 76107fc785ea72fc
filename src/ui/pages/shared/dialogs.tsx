/** The dialogs of a page: one is open at a time, and the page says what the last one has done. */
import { type ComponentChild, type ComponentChildren, createContext, type RefObject } from 'preact';
import { useContext, useRef } from 'preact/hooks';

export interface PageDialogs {
  /** Shows a dialog in the place of the one that is open; nothing closes it. */
  readonly open: (dialog: ComponentChild) => void;
  /** Says what was done; '' takes back what was said. */
  readonly say: (text: string) => void;
  /** Reads anew what the page shows. */
  readonly again: () => void;
}

export const DialogsContext = createContext<PageDialogs>({ open: () => {}, say: () => {}, again: () => {} });

export const useDialogs = (): PageDialogs => useContext(DialogsContext);

interface OpenerProps {
  readonly kind?: 'strong' | 'bad' | 'small' | 'small button-bad';
  readonly dialog: () => ComponentChild;
  readonly children: ComponentChildren;
}

/** A button that opens a dialog of the page. */
export function Opener({ kind, dialog, children }: OpenerProps) {
  const { open } = useDialogs();
  const latest = useRef(dialog);
  latest.current = dialog;
  const look = kind ? `button button-${kind}` : 'button';
  return (
    <button class={look} type="button" onClick={() => open(<Made by={latest} />)}>
      {children}
    </button>
  );
}

/** A dialog that is made when it is shown: of what the page has by then, not of what it had when the button was pressed. */
const Made = ({ by }: { readonly by: RefObject<OpenerProps['dialog']> }) => <>{by.current?.()}</>;
