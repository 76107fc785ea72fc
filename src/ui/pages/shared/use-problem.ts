/** The problem of a form, and the focus on the first wrong field when there is one. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type FormProblem, faultsOf, focusFault } from './form-faults.ts';

interface ShownProblem {
  readonly form: RefObject<HTMLFormElement | null>;
  /** About the whole form; '' for nothing. */
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
