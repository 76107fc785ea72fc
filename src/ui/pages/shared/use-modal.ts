/** Shows a dialog over the page as long as its component is there, and gives the focus back to what opened it. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // By now the dialog is out of the page, so the browser gives nothing back by itself.
    return () => {
      if (!(opener instanceof HTMLElement)) return;
      if (opener.isConnected) opener.focus();
      else focusOnPage();
    };
  }, []);
  return dialog;
}

/** The button may be gone with what it was for: reading goes on at the head of the page. */
function focusOnPage(): void {
  const head = document.querySelector('h1');
  if (!head) return;
  head.tabIndex = -1;
  head.focus();
}
