/** A form: its values, sending them, and what is wrong, of which the fields read and where the focus goes. */
import { createContext, type RefObject } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { ApiResponse } from '../api.ts';
import { type Faults, type FormProblem, faultsOf } from './form-faults.ts';
import { formProblemOf } from './problem-of.ts';

export const FaultsContext = createContext<Faults>({});

export function useFault(name: string | undefined): string | undefined {
  const faults = useContext(FaultsContext);
  return name === undefined ? undefined : faults[name];
}

/** The values of a form while it is filled in. */
export interface FormState<Values> {
  readonly values: Values;
  readonly put: (change: Partial<Values>) => void;
  /** What a field needs to show and change one of them. */
  readonly field: <Name extends keyof Values & string>(
    name: Name,
  ) => { readonly name: Name; readonly value: Values[Name]; readonly onChange: (value: Values[Name]) => void };
}

/** What came of sending: an answer of the API, or what is wrong; undefined: it is done. */
export type Sent = ApiResponse | FormProblem | undefined;

export interface FormRules<Values> {
  readonly first?: Values;
  readonly onSubmit: (values: Values) => Promise<Sent>;
  /** Called after a success. */
  readonly onSent: (values: Values, body: unknown, put: FormState<Values>['put']) => void;
}

export interface ShownForm<Values> extends FormState<Values> {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly isBusy: boolean;
  readonly faults: Faults;
  /** What is wrong with the whole form; '' for nothing. */
  readonly text: string;
  readonly onSend: (event: Event) => void;
}

export function useForm<Values extends object>({ first, onSubmit, onSent }: FormRules<Values>): ShownForm<Values> {
  const [values, setValues] = useState(first ?? ({} as Values));
  const [problem, setProblem] = useState<FormProblem>('');
  const [isBusy, setIsBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const put = (change: Partial<Values>): void => setValues((was) => ({ ...was, ...change }));
  // A sentence about a field that this form does not have is told of the whole form.
  useEffect(() => {
    if (typeof problem === 'string' || !form.current) return;
    if (!focusFault(form.current)) setProblem(Object.values(problem.faults).join(' '));
  }, [problem]);
  const send = async (): Promise<void> => {
    setIsBusy(true);
    setProblem('');
    const sent = await onSubmit(values);
    setIsBusy(false);
    const wrong = problemIn(sent);
    if (wrong !== undefined) setProblem(wrong);
    else onSent(values, typeof sent === 'object' && 'body' in sent ? sent.body : undefined, put);
  };
  return {
    values,
    put,
    field: (name) => ({
      name,
      value: values[name],
      onChange: (value) => put({ [name]: value } as unknown as Partial<Values>),
    }),
    form,
    isBusy,
    faults: faultsOf(problem),
    text: typeof problem === 'string' ? problem : '',
    onSend: (event) => {
      event.preventDefault();
      if (!isBusy) void send();
    },
  };
}

function problemIn(sent: Sent): FormProblem | undefined {
  if (typeof sent !== 'object' || 'faults' in sent) return sent;
  return sent.kind === 'ok' ? undefined : formProblemOf(sent);
}

/** Where the first wrong field is, the focus goes: a screen reader reads the field and what is wrong with it. */
function focusFault(form: HTMLElement): boolean {
  const wrong = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-fault] input');
  wrong?.focus();
  return wrong !== null;
}
