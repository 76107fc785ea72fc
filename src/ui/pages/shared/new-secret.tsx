/** What is handed on to another person or program: a secret that is shown once, an address, a text to copy. */

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Acts, useDialogs, useModal } from './forms.tsx';
import { Button } from './parts.tsx';
import { words } from './words.ts';

/** `isAtOnce`: it is copied without a press, if the browser allows it. */
type CopyProps = { text: string; isAtOnce?: boolean };

/** `warning`: that it is shown only now. `children`: how it is used. */
type NewSecretProps = CopyProps & { title: string; warning: string; children?: ComponentChildren };

/** Escape does not close this dialog. A browser lets a page prevent the first Escape only: the next one opens it again. */
export function NewSecret({ title, warning, children, ...secret }: NewSecretProps) {
  const dialog = useModal();
  const titleId = useId();
  const page = useDialogs();
  return (
    <dialog
      ref={dialog}
      class="form-dialog"
      aria-labelledby={titleId}
      onCancel={(event) => event.preventDefault()}
      onClose={({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal()}
    >
      <div class="form">
        <h2 id={titleId} class="form-title">
          <bdi>{title}</bdi>
        </h2>
        <p class="notice notice-warn">{warning}</p>
        <Copyable {...secret} />
        {children}
        <p class="row form-actions">
          <Button kind="strong" onPress={() => page.open(undefined)}>
            {words.tokens.done}
          </Button>
        </p>
      </div>
    </dialog>
  );
}

/** A text with its button. */
export const Copyable = (copied: CopyProps) => (
  <p class="secret">
    <code>{copied.text}</code>
    <CopyButton {...copied} />
  </p>
);

/** A secret that is an address for another person: as a picture for a phone's camera, and for the system's way of sharing, too. */
export function NewAddress({ url: given, children, ...shown }: Omit<NewSecretProps, 'text'> & { url: string }) {
  const url = new URL(given, location.origin).href;
  const { title } = shown;
  const [picture, setPicture] = useState<string>();
  useEffect(() => {
    import('./code-picture.ts').then(({ codePicture }) => setPicture(codePicture(url))).catch(() => {});
  }, [url]);
  // Rejects when the person thinks better of it.
  const share = (): void => void navigator.share({ url, title }).catch(() => {});
  return (
    <NewSecret {...shown} text={url}>
      {'share' in navigator && <Acts acts={[{ text: words.ui.common.share, onAct: share }]} />}
      <div class="qr-place">
        {picture !== undefined && <img class="qr-code" src={picture} alt={words.ui.common.qr} />}
      </div>
      {children}
    </NewSecret>
  );
}

/**
 * A button that copies a text. Where the browser allows no copying (plain HTTP) it marks the text, to be copied by hand.
 * `label`: says what is copied, where it is not shown beside the button.
 */
export function CopyButton({ text, label, isAtOnce = false }: CopyProps & { label?: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'selectAndCopy'>();
  useEffect(() => {
    if (isAtOnce)
      navigator.clipboard
        ?.writeText(text)
        .then(() => setOutcome('copied'))
        .catch(() => {});
  }, []);
  if (label !== undefined && !('clipboard' in navigator)) return null;
  const copy = async (button: Element): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
    } catch {
      const shown = button.parentElement?.querySelector('code, pre');
      if (!shown) return;
      getSelection()?.selectAllChildren(shown);
      setOutcome('selectAndCopy');
    }
  };
  return (
    <button class="button" type="button" onClick={({ currentTarget }) => void copy(currentTarget)}>
      {outcome ? words.ui.common[outcome] : (label ?? words.ui.common.copy)}
    </button>
  );
}
