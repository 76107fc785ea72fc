/** Forms, in a dialog or in the page: values, sending them, what is wrong; and the dialogs of a page, of which one is open at a time. */
import {
  type ComponentChild,
  type ComponentChildren,
  type ComponentProps,
  createContext,
  Fragment,
  type RefObject,
} from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ApiResponse, problemOf, sendToApi } from './api.ts';
import { type Faults, type FormProblem, fieldOf } from './form-faults.ts';
import { Button, Icon, type IconName, Problem } from './parts.tsx';
import { words } from './words.ts';

/** `wrong`: of the fields as they are now; `faults`: what was said of them when the form was sent. */
const FaultsContext = createContext({ wrong: new Map<string, string>(), faults: {} as Faults });

/** What is said of a field. `wrong`: keeps the form from being sent. */
export function useFault(name: string | undefined, wrong?: string): string | undefined {
  const form = useContext(FaultsContext);
  if (name === undefined) return undefined;
  if (wrong !== undefined) form.wrong.set(name, wrong);
  return form.faults[name];
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
  /** What the button says; "Save" without it. */
  readonly submit?: string;
  readonly first?: Values;
  readonly onSubmit: (values: Values) => Promise<Sent>;
  /** Whether there is anything to send. */
  readonly hasChanged?: (values: Values) => boolean;
  readonly children?: ComponentChildren | ((form: FormState<Values>) => ComponentChildren);
}

/** `onSent`: called after a success. */
function useForm<Values extends object>(
  { submit = words.ui.common.save, first, onSubmit, hasChanged, children }: FormRules<Values>,
  onSent: (values: Values, body: unknown, put: FormState<Values>['put']) => void,
) {
  const [values, setValues] = useState(first ?? ({} as Values));
  const [problem, setProblem] = useState<FormProblem>('');
  const [isBusy, setIsBusy] = useState(false);
  const { again, say } = useDialogs();
  const form = useRef<HTMLFormElement>(null);
  const put = (change: Partial<Values>): void => {
    // It was said of what was sent.
    setProblem('');
    setValues((was) => ({ ...was, ...change }));
  };
  /** The fields that are shown fill it. */
  const wrong = new Map<string, string>();
  const field: FormState<Values>['field'] = (name) => ({
    name,
    value: values[name],
    onChange: (value) => put({ [name]: value } as unknown as Partial<Values>),
  });
  // A sentence about a field that this form does not have is told of the whole form.
  useEffect(() => {
    if (typeof problem === 'string' || !form.current) return;
    // Where the first wrong field is, the focus goes: a screen reader reads the field and what is wrong with it.
    const wrong = form.current.querySelector<HTMLElement>('[aria-invalid="true"], [data-fault] input');
    // One that is folded would neither be seen nor take the focus.
    wrong?.closest('details')?.toggleAttribute('open', true);
    wrong?.focus();
    if (!wrong) setProblem(Object.values(problem.faults).join(' '));
  }, [problem]);
  const send = async (): Promise<void> => {
    setIsBusy(true);
    say('');
    setProblem('');
    const sent = wrong.size > 0 ? { faults: Object.fromEntries(wrong) } : await onSubmit(values);
    setIsBusy(false);
    const told = problemIn(sent);
    // What the page shows may be the reason, or was changed in part.
    if (typeof sent === 'object' && 'kind' in sent && sent.kind === 'refused') again();
    if (told !== undefined) setProblem(told);
    else onSent(values, typeof sent === 'object' && 'body' in sent ? sent.body : undefined, put);
  };
  return {
    form,
    onSend: (event: Event): void => {
      event.preventDefault();
      if (!isBusy) void send();
    },
    fields: (
      <FaultsContext.Provider value={{ wrong, faults: typeof problem === 'string' ? {} : problem.faults }}>
        {typeof children === 'function' ? children({ values, put, field }) : children}
      </FaultsContext.Provider>
    ),
    problem: <Problem text={typeof problem === 'string' ? problem : ''} />,
    button: (look: string, submitting = words.ui.common.saving) => (
      <button class={`button button-${look}`} type="submit" disabled={isBusy || hasChanged?.(values) === false}>
        {isBusy ? submitting : submit}
      </button>
    ),
  };
}

/** What is wrong; of a refusal at the field that it is about. */
function problemIn(sent: Sent): FormProblem | undefined {
  if (typeof sent !== 'object' || 'faults' in sent) return sent;
  if (sent.kind === 'ok') return undefined;
  const field = sent.kind === 'refused' && fieldOf(sent.reason);
  return field ? { faults: { [field]: problemOf(sent) } } : problemOf(sent);
}

export interface FormDialogProps<Values> extends FormRules<Values> {
  readonly title: string;
  /** What would happen. */
  readonly what?: string;
  readonly isDangerous?: boolean;
  /** What the page says when it is done, and reads anew then. */
  readonly done?: string | ((values: Values, body: unknown) => string | undefined) | undefined;
  /** What can be done in the place of it, at the other end of its buttons. */
  readonly instead?: Act;
  /** It shows what is shown once: its button ends it, and nothing else does. */
  readonly isKept?: boolean;
  /** The dialog that follows, made of the answer. */
  readonly next?: (body: unknown, values: Values) => ComponentChild;
  /** Where the dialog stands in no page that closes it. */
  readonly onClose?: () => void;
}

/** A browser lets a page prevent the first Escape only: the next one opens the dialog again. */
const KEPT: ComponentProps<'dialog'> = {
  onCancel: (event) => event.preventDefault(),
  onClose: ({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal(),
};

/** A modal form with a Cancel button. It stays open and shows the problem when the submission fails. */
export function FormDialog<Values extends object>(props: FormDialogProps<Values>) {
  const { title, what, isDangerous = false, instead, isKept = false, done, next } = props;
  const dialog = useModal();
  const titleId = useId();
  const page = useDialogs();
  const following = useRef<ComponentChild>(undefined);
  const close = props.onClose ?? (() => page.open(following.current));
  const { form, onSend, fields, problem, button } = useForm(props, (values, body) => {
    const said = typeof done === 'function' ? done(values, body) : done;
    if (said !== undefined) page.say(said);
    if (said !== undefined || (next && body !== undefined)) page.again();
    following.current = next?.(body, values);
    close();
  });
  return (
    <dialog ref={dialog} class="form-dialog" aria-labelledby={titleId} {...(isKept ? KEPT : { onCancel: close })}>
      <form class="form" ref={form} onSubmit={onSend}>
        <h2 id={titleId} class="form-title">
          <bdi>{title}</bdi>
        </h2>
        {what !== undefined && (
          <p>
            <bdi>{what}</bdi>
          </p>
        )}
        {fields}
        <div class="form-end">
          {problem}
          <p class="row form-actions">
            {instead && <ActButton {...instead} />}
            <Button kind={isKept ? 'strong' : ''} onPress={close}>
              {isKept ? props.submit : words.ui.common.cancel}
            </Button>
            {!isKept && button(isDangerous ? 'danger' : 'strong')}
          </p>
        </div>
      </form>
    </dialog>
  );
}

interface PanelFormProps<Values> extends FormRules<Values> {
  readonly onSent: Parameters<typeof useForm<Values & object>>[1];
  /** What the button says meanwhile. */
  readonly submitting?: string;
  readonly onCancel?: () => void;
}

/** A form that stands in the page: its fields, what is wrong, and the button. */
export function PanelForm<Values extends object>({ submitting, onCancel, onSent, ...rules }: PanelFormProps<Values>) {
  const { form, onSend, fields, problem, button } = useForm(rules, onSent);
  return (
    <form class="form panel" ref={form} onSubmit={onSend}>
      {fields}
      {problem}
      <p class="row form-actions">
        {onCancel && <Button onPress={onCancel}>{words.ui.common.cancel}</Button>}
        {button('strong', submitting)}
      </p>
    </form>
  );
}

/** What dialogs of the page use, what was said last, and the dialog that is open. `first`: the one that is open at once, as it is by then. */
export function usePageDialogs(again = (): void => {}, first?: ComponentChild) {
  const [said, setSaid] = useState({ text: '', isProblem: false });
  const [shown, show] = useState<{ dialog?: ComponentChild; round: number }>({ round: 0 });
  const page = {
    /** Shows a dialog in the place of the one that is open; nothing closes it. */
    open: (dialog: ComponentChild): void => show(({ round }) => ({ dialog, round: round + 1 })),
    /** Says what was done, or what is wrong; '' takes back what was said. */
    say: (text: string, isProblem = false): void => setSaid({ text, isProblem }),
    /** Reads anew what the page shows. */
    again,
  };
  return { page, said, dialog: <Fragment key={shown.round}>{shown.round === 0 ? first : shown.dialog}</Fragment> };
}

type PageDialogs = ReturnType<typeof usePageDialogs>['page'];

export const DialogsContext = createContext<PageDialogs>({ open: () => {}, say: () => {}, again: () => {} });

export const useDialogs = (): PageDialogs => useContext(DialogsContext);

/** What can be done: with the whole of a page, or with a record. */
export interface Act {
  readonly text: string;
  readonly kind?: string;
  /** Stands for its text. */
  readonly icon?: IconName;
  /** It ends or deletes something. */
  readonly isDangerous?: boolean | undefined;
  /** Why it cannot be done; undefined when it can. */
  readonly why?: string | undefined;
  /** What comes first. */
  readonly dialog?: () => ComponentChild;
  /** It is done at once: a new login undoes it, or it does no harm. */
  readonly atOnce?: { readonly send: () => Promise<ApiResponse>; readonly done: string | ((body: unknown) => void) };
  readonly onAct?: () => void;
}

type Said<Of> = string | ((of: Of) => string);

/** The words of an act that is asked about: on its button, in the question, and when it is done. */
interface AskWords<Of> {
  readonly act: string;
  readonly title: Said<Of>;
  readonly what: Said<Of>;
  readonly done?: Said<Of>;
}

type Asks = FormDialogProps<object>;

/** An act that is asked about first; the button of the question says what the act says. */
export function asking<Of>(
  { act: text, title, what, done }: AskWords<NoInfer<Of>>,
  of: Of,
  onSubmit: () => Promise<Sent>,
  { isDangerous = false, ...more }: Partial<Asks> = {},
): Act {
  const tell = (told: Said<Of>): string => (typeof told === 'string' ? told : told(of));
  const said = { title: tell(title), what: tell(what), ...(done && { done: tell(done) }) };
  return {
    text,
    isDangerous,
    dialog: () => <FormDialog submit={text} {...{ ...said, isDangerous, onSubmit, ...more }} />,
  };
}

/** The act that ends what stands at a path of the API. */
export const removal = <Of,>(text: AskWords<NoInfer<Of>>, of: Of, path: string, more: Partial<Asks> = {}): Act =>
  asking(text, of, () => sendToApi('DELETE', path), { isDangerous: true, ...more });

/** `name`: that of the record, for a person who hears the button and does not see its row. */
export function ActButton({ name, ...act }: Act & { readonly name?: string }) {
  const { text, kind = '', icon, isDangerous = false, why, atOnce, onAct } = act;
  const { open, say, again } = useDialogs();
  const latest = useRef<Act>(act);
  latest.current = act;
  const isSending = useRef(false);
  const start = async (): Promise<void> => {
    if (!atOnce) return open(<Asked by={latest} />);
    // What was done is not done twice: its button goes with what it was for.
    if (isSending.current) return;
    isSending.current = true;
    say('');
    const answer = await atOnce.send();
    isSending.current = answer.kind === 'ok' && typeof atOnce.done === 'string';
    if (answer.kind !== 'ok') say(problemOf(answer), true);
    else if (typeof atOnce.done === 'string') say(atOnce.done);
    else return atOnce.done(answer.body);
    again();
    // The dialog that it stands in.
    open(undefined);
  };
  return (
    <Button
      kind={`${kind}${name === undefined ? '' : ' small'}${isDangerous ? ' bad' : ''}`}
      disabled={why !== undefined}
      title={why ?? (icon && text)}
      aria-label={name && `${text}: ${name}`}
      onPress={onAct ?? start}
    >
      {icon ? <Icon name={icon} /> : text}
    </Button>
  );
}

/** Acts side by side, in a page. */
export const Acts = ({ acts }: { acts: readonly Act[] }) => (
  <p class="row">
    {acts.map((act) => (
      <ActButton key={act.text} {...act} />
    ))}
  </p>
);

/** A dialog that is made when it is shown: of what the page has by then, not of what it had when the button was pressed. */
const Asked = ({ by: { current } }: { by: RefObject<Act> }) => <>{current?.dialog?.()}</>;

/** The dialogs that are shown, the newest last. All have one entry of the history: Back takes it away, and not the page. */
const modals: (HTMLDialogElement | null)[] = [];
let isLeaving = false;
const hasEntry = (): boolean => Object(history.state).isDialog === true;

function keepEntry(): void {
  if (modals.length > 0 && !hasEntry()) history.pushState({ isDialog: true }, '');
  if (modals.length > 0 || !hasEntry() || isLeaving) return;
  isLeaving = true;
  history.back();
}

/** Leaves the page when the dialog that does it is closed: going back meanwhile would stop the browser. */
export const leave = (go: () => void): void => (hasEntry() ? addEventListener('popstate', go, { once: true }) : go());

/** Says nothing: another page is shown then. */
export const reload = (): undefined => void leave(() => location.reload());

addEventListener('popstate', () => {
  if (!isLeaving) modals.at(-1)?.dispatchEvent(new Event('cancel', { cancelable: true }));
  isLeaving = false;
  // A dialog below, and one that stays, have no entry now.
  setTimeout(keepEntry);
});

/** The opener of the dialog before: one that follows it gives the focus back there, too. */
let lastOpener: Element | null = null;

/** Shows a dialog over the page as long as its component is there, and gives the focus back to what opened it. */
function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  // The dialog that follows another is there before the entry would go.
  useLayoutEffect(() => {
    const openers = [document.activeElement, lastOpener];
    lastOpener = openers[0] === document.body ? lastOpener : document.activeElement;
    const { current } = dialog;
    current?.showModal();
    modals.push(current);
    keepEntry();
    return () => {
      modals.splice(modals.indexOf(current), 1);
      // By then the dialog is out of the page, so that its opener can have the focus, and the browser gives nothing back by itself.
      queueMicrotask(() => {
        if (modals.length === 0) lastOpener = null;
        keepEntry();
        const opener = openers.find((one) => one?.isConnected && one !== document.body);
        // The button may be gone with what it was for: reading goes on at the head of the page.
        const head = document.querySelector('h1');
        if (opener instanceof HTMLElement) return opener.focus();
        head?.setAttribute('tabindex', '-1');
        head?.focus();
      });
    };
  }, []);
  return dialog;
}
