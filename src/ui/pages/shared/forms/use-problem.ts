/** The problem of a form: what its fields read of it, and the focus on the first wrong one. */
import { createContext, type RefObject } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { type Faults, type FormProblem, faultsOf } from './form-faults.ts';

export const FaultsContext = createContext<Faults>({});

export function useFault(name: string | undefined): string | undefined {
  const faults = useContext(FaultsContext);
  return name === undefined ? undefined : faults[name];
}

interface ShownProblem {
  readonly form: RefObject<HTMLFormElement | null>;
  /** The text about the whole form; '' for nothing. */
  readonly text: string;
  readonly problem: FormProblem;
  readonly setProblem: (problem: FormProblem) => void;
}

export function useProblem(): ShownProblem {
  const [problem, setProblem] = useState<FormProblem>('');
  const form = useRef<HTMLFormElement>(null);
  useFaultFocus(form, problem, setProblem);
  return { form, text: typeof problem === 'string' ? problem : '', problem, setProblem };
}

/** A sentence about a field that this form does not have is told of the whole form. */
export function useFaultFocus(
  form: RefObject<HTMLFormElement | null>,
  problem: FormProblem,
  setProblem: (problem: FormProblem) => void,
): void {
  useEffect(() => {
    if (typeof problem === 'string' || !form.current) return;
    if (!focusFault(form.current)) setProblem(Object.values(faultsOf(problem)).join(' '));
  }, [problem]);
}

/** Where the first wrong field is, the focus goes: a screen reader reads the field and what is wrong with it. */
function focusFault(form: HTMLElement): boolean {
  const wrong = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-fault] input');
  wrong?.focus();
  return wrong !== null;
}
