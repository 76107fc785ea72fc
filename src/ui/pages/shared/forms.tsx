/** Forms, in a dialog or in the page: values, sending them, what is wrong; and the dialogs of a page, of which one is open at a time. */
import { type ComponentChild, type ComponentChildren, createContext, type RefObject } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ApiResponse } from './api.ts';
import { type Faults, type FormProblem, faultsOf } from './form-faults.ts';
import { formProblemOf } from './problems.ts';
import { words } from './words.ts';

const FaultsContext = createContext<Faults>({});

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

interface FormRules<Values> {
  readonly first?: Values;
  readonly onSubmit: (values: Values) => Promise<Sent>;
  /** Called after a success. */
  readonly onSent: (values: Values, body: unknown, put: FormState<Values>['put']) => void;
}

interface ShownForm<Values> extends FormState<Values> {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly isBusy: boolean;
  readonly faults: Faults;
  /** What is wrong with the whole form; '' for nothing. */
  readonly text: string;
  readonly onSend: (event: Event) => void;
}

function useForm<Values extends object>({ first, onSubmit, onSent }: FormRules<Values>): ShownForm<Values> {
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

interface PageDialogs {
  /** Shows a dialog in the place of the one that is open; nothing closes it. */
  readonly open: (dialog: ComponentChild) => void;
  /** Says what was done; '' takes back what was said. */
  readonly say: (text: string) => void;
  /** Reads anew what the page shows. */
  readonly again: () => void;
}

export const DialogsContext = createContext<PageDialogs>({ open: () => {}, say: () => {}, again: () => {} });

export const useDialogs = (): PageDialogs => useContext(DialogsContext);

interface OpenerProps {
  readonly kind?: 'strong' | 'bad' | 'small' | 'small button-bad';
  readonly dialog: () => ComponentChild;
  readonly children: ComponentChildren;
}

/** A button that opens a dialog of the page. */
export function Opener({ kind, dialog, children }: OpenerProps) {
  const { open } = useDialogs();
  const latest = useRef(dialog);
  latest.current = dialog;
  const look = kind ? `button button-${kind}` : 'button';
  return (
    <button class={look} type="button" onClick={() => open(<Made by={latest} />)}>
      {children}
    </button>
  );
}

/** A dialog that is made when it is shown: of what the page has by then, not of what it had when the button was pressed. */
const Made = ({ by }: { readonly by: RefObject<OpenerProps['dialog']> }) => <>{by.current?.()}</>;

export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // By now the dialog is out of the page, so the browser gives nothing back by itself.
    return () => {
      if (!(opener instanceof HTMLElement)) return;
      if (opener.isConnected) opener.focus();
      else focusOnPage();
    };
  }, []);
  return dialog;
}

/** The button may be gone with what it was for: reading goes on at the head of the page. */
function focusOnPage(): void {
  const head = document.querySelector('h1');
  if (!head) return;
  head.tabIndex = -1;
  head.focus();
}
