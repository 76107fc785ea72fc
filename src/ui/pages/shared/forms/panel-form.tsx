/** A form that stands in the page: its fields, what is wrong, and the button. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { type FormProblem, faultsOf } from './form-faults.ts';
import { FaultsContext, useFaultFocus } from './use-problem.ts';

interface PanelFormProps {
  readonly submit: string;
  /** What the button says meanwhile. */
  readonly submitting: string;
  readonly isBusy: boolean;
  readonly problem: FormProblem;
  readonly setProblem: (problem: FormProblem) => void;
  readonly onSubmit: () => Promise<void>;
  readonly children: ComponentChildren;
}

export function PanelForm(props: PanelFormProps) {
  const { submit, submitting, isBusy, problem, setProblem, onSubmit, children } = props;
  const form = useRef<HTMLFormElement>(null);
  useFaultFocus(form, problem, setProblem);
  const onSend = (event: Event): void => {
    event.preventDefault();
    if (!isBusy) void onSubmit();
  };
  return (
    <form class="form panel" ref={form} onSubmit={onSend}>
      <FaultsContext.Provider value={faultsOf(problem)}>{children}</FaultsContext.Provider>
      <div class="notice notice-bad" role="alert">
        {typeof problem === 'string' && problem}
      </div>
      <p class="form-actions">
        <button class="button button-strong" type="submit" disabled={isBusy}>
          {isBusy ? submitting : submit}
        </button>
      </p>
    </form>
  );
}
