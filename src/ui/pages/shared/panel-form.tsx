/** A form that stands in the page: its fields, what is wrong, and the button. */
import type { ComponentChildren } from 'preact';

interface PanelFormProps {
  readonly submit: string;
  /** What the button says meanwhile. */
  readonly submitting: string;
  readonly isBusy: boolean;
  readonly problem: string;
  readonly onSubmit: () => Promise<void>;
  readonly children: ComponentChildren;
}

export function PanelForm({ submit, submitting, isBusy, problem, onSubmit, children }: PanelFormProps) {
  const onSend = (event: Event): void => {
    event.preventDefault();
    if (!isBusy) void onSubmit();
  };
  return (
    <form class="form panel" onSubmit={onSend}>
      {children}
      <div class="notice notice-bad" role="alert">
        {problem}
      </div>
      <p class="form-actions">
        <button class="button button-strong" type="submit" disabled={isBusy}>
          {isBusy ? submitting : submit}
        </button>
      </p>
    </form>
  );
}
