/** What is handed on to another person or program: a secret that is shown once, an address, a text to copy. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Acts, FormDialog } from './forms.tsx';
import { words } from './words.ts';

/** `isAtOnce`: it is copied without a press, if the browser allows it. */
type CopyProps = { text: string; isAtOnce?: boolean };

/** `warning`: that it is shown only now. `children`: how it is used. */
type NewSecretProps = CopyProps & { title: string; warning: string; children?: ComponentChildren };

export const NewSecret = ({ title, warning, children, ...secret }: NewSecretProps) => (
  <FormDialog title={title} submit={words.tokens.done} isKept onSubmit={async () => undefined}>
    <p class="notice notice-warn">{warning}</p>
    <Copyable {...secret} />
    {children}
  </FormDialog>
);

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
