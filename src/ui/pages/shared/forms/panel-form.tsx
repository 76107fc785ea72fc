/** A form that stands in the page: its fields, what is wrong, and the button. */
import type { ComponentChildren } from 'preact';
import { words } from '../words.ts';
import { FaultsContext, type FormRules, type FormState, useForm } from './use-form.ts';

interface PanelFormProps<Values> extends FormRules<Values> {
  readonly submit: string;
  /** What the button says meanwhile. */
  readonly submitting?: string;
  readonly children: (form: FormState<Values>) => ComponentChildren;
}

export function PanelForm<Values extends object>(props: PanelFormProps<Values>) {
  const { submit, submitting = words.ui.common.saving, children, ...rules } = props;
  const { form, isBusy, text, faults, onSend, ...state } = useForm(rules);
  return (
    <form class="form panel" ref={form} onSubmit={onSend}>
      <FaultsContext.Provider value={faults}>{children(state)}</FaultsContext.Provider>
      <div class="notice notice-bad" role="alert">
        {text}
      </div>
      <p class="form-actions">
        <button class="button button-strong" type="submit" disabled={isBusy}>
          {isBusy ? submitting : submit}
        </button>
      </p>
    </form>
  );
}
