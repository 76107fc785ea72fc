/** A modal form with a Cancel button. It stays open and shows the problem when the submission fails. */
import type { ComponentChild, ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { useDialogs } from '../dialogs.tsx';
import { useModal } from '../use-modal.ts';
import { words } from '../words.ts';
import { FaultsContext, type FormRules, type FormState, useForm } from './use-form.ts';

interface FormDialogProps<Values> extends Omit<FormRules<Values>, 'onSent'> {
  readonly title: string;
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** What the page says when it is done, and reads anew then. */
  readonly done?: string | ((values: Values, body: unknown) => string | undefined);
  /** The dialog that follows, made of the answer. */
  readonly next?: (body: unknown, values: Values) => ComponentChild;
  /** Where the dialog stands in no page that closes it. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren | ((form: FormState<Values>) => ComponentChildren);
}

export function FormDialog<Values extends object>(props: FormDialogProps<Values>) {
  const { title, submit, isDangerous = false, first, onSubmit, done, next, children } = props;
  const dialog = useModal();
  const titleId = useId();
  const page = useDialogs();
  const following = useRef<ComponentChild>(undefined);
  const close = props.onClose ?? (() => page.open(following.current));
  const onSent = (values: Values, body: unknown): void => {
    const said = typeof done === 'function' ? done(values, body) : done;
    if (said !== undefined) page.say(said);
    if (said !== undefined || (next && body !== undefined)) page.again();
    following.current = next?.(body, values);
    close();
  };
  const { form, isBusy, text, faults, onSend, ...state } = useForm({ ...(first && { first }), onSubmit, onSent });
  return (
    <dialog ref={dialog} class="form-dialog" aria-labelledby={titleId} onCancel={close}>
      <form class="form" ref={form} onSubmit={onSend}>
        <h2 id={titleId} class="form-title">
          <bdi>{title}</bdi>
        </h2>
        <FaultsContext.Provider value={faults}>
          {typeof children === 'function' ? children(state) : children}
        </FaultsContext.Provider>
        <div class="form-end">
          <div class="notice notice-bad" role="alert">
            {text}
          </div>
          <p class="form-actions">
            <button class="button" type="button" onClick={close}>
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

export interface QuestionProps
  extends Pick<FormDialogProps<object>, 'title' | 'submit' | 'isDangerous' | 'onSubmit' | 'next'> {
  readonly what: string;
  readonly done?: string | (() => string | undefined);
}

/** A dialog without fields: what would happen, and whether to do it. */
export const Question = ({ what, ...dialog }: QuestionProps) => (
  <FormDialog {...dialog}>
    <p>
      <bdi>{what}</bdi>
    </p>
  </FormDialog>
);
