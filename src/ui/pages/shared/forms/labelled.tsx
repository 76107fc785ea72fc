/** A field below its label, and above what helps to fill it in and what is wrong with it. */
import type { ComponentChildren } from 'preact';

interface LabelledProps {
  /** The id of the field; its help is `<id>-help`, its fault `<id>-fault`. */
  readonly id: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly fault?: string | undefined;
  readonly children: ComponentChildren;
}

export const Labelled = ({ id, label, help, fault, children }: LabelledProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    <Fault {...{ id, fault }} />
    {help !== undefined && (
      <p id={`${id}-help`} class="field-help">
        {help}
      </p>
    )}
  </div>
);

export const Fault = ({ id, fault }: { id: string; fault: string | undefined }) =>
  fault === undefined ? null : (
    <p id={`${id}-fault`} class="field-fault">
      <bdi>{fault}</bdi>
    </p>
  );

/** Only what is there can be pointed at. */
export function describedBy(id: string, help: string | undefined, fault?: string) {
  const ids = [fault === undefined ? '' : `${id}-fault`, help === undefined ? '' : `${id}-help`].filter(Boolean);
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(fault !== undefined && { 'aria-invalid': true }),
  };
}
