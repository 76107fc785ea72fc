/** A field below its label, and above what helps to fill it in. */
import type { ComponentChildren } from 'preact';

interface LabelledProps {
  /** Of the field; its help is `<id>-help`. */
  readonly id: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly children: ComponentChildren;
}

export const Labelled = ({ id, label, help, children }: LabelledProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    {help !== undefined && (
      <p id={`${id}-help`} class="field-help">
        {help}
      </p>
    )}
  </div>
);

/** Only what is there can be pointed at. */
export const describedBy = (id: string, help: string | undefined) =>
  help === undefined ? {} : { 'aria-describedby': `${id}-help` };
