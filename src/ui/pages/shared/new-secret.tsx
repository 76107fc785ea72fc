/** Shows a secret once: a token, or the address of a link. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { useDialogs } from './dialogs.tsx';
import { useModal } from './use-modal.ts';
import { words } from './words.ts';

interface NewSecretProps {
  readonly title: string;
  /** That it is shown only now. */
  readonly warning: string;
  readonly secret: string;
  /** Where the dialog stands in no page that closes it. */
  readonly onClose?: () => void;
  /** How it is used. */
  readonly children?: ComponentChildren;
}

/** Escape does not close this dialog. A browser lets a page prevent the first Escape only: the next one opens it again. */
export function NewSecret({ title, warning, secret, onClose, children }: NewSecretProps) {
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
        <p class="secret">
          <code>{secret}</code>
          <CopyButton text={secret} />
        </p>
        {children}
        <p class="form-actions">
          <button class="button button-strong" type="button" onClick={onClose ?? (() => page.open(undefined))}>
            {words.tokens.done}
          </button>
        </p>
      </div>
    </dialog>
  );
}
