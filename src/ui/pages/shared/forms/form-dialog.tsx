/** A modal form with a Cancel button. It stays open and shows the problem when the submission fails. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useModal } from '../use-modal.ts';
import { words } from '../words.ts';
import { type FormProblem, faultsOf } from './form-faults.ts';
import { FaultsContext, useProblem } from './use-problem.ts';

interface FormDialogProps {
  readonly title: string;
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** Returns the problem, or undefined on success. */
  readonly onSubmit: () => Promise<FormProblem | undefined>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function FormDialog({ title, submit, isDangerous = false, onSubmit, onClose, children }: FormDialogProps) {
  const dialog = useModal();
  const titleId = useId();
  const [isBusy, setIsBusy] = useState(false);
  const { form, text, problem, setProblem } = useProblem();
  const send = async (): Promise<void> => {
    setIsBusy(true);
    setProblem('');
    const wrong = await onSubmit();
    setIsBusy(false);
    if (wrong === undefined) onClose();
    else setProblem(wrong);
  };
  const onSend = (event: Event): void => {
    event.preventDefault();
    if (!isBusy) void send();
  };
  return (
    <dialog ref={dialog} class="form-dialog" aria-labelledby={titleId} onCancel={onClose}>
      <form class="form" ref={form} onSubmit={onSend}>
        <h2 id={titleId} class="form-title">
          <bdi>{title}</bdi>
        </h2>
        <FaultsContext.Provider value={faultsOf(problem)}>{children}</FaultsContext.Provider>
        <div class="form-end">
          <div class="notice notice-bad" role="alert">
            {text}
          </div>
          <p class="form-actions">
            <button class="button" type="button" onClick={onClose}>
              {words.ui.common.cancel}
            </button>
            <button class={`button ${isDangerous ? 'button-danger' : 'button-strong'}`} type="submit" disabled={isBusy}>
              {isBusy ? words.ui.common.saving : submit}
            </button>
          </p>
        </div>
      </form>
    </dialog>
  );
}
