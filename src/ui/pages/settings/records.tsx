/** A list of records, each with a name, facts and actions: rows on wide screens, cards on narrow ones. */
import type { ComponentChildren } from 'preact';
import type { Fetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';

interface PageProps<Value> {
  readonly title: string;
  readonly lead: string;
  /** The acts on the whole, beside the title. */
  readonly actions?: ComponentChildren;
  /** What was done just now. */
  readonly done: string;
  readonly fetched: Fetched<Value>;
  readonly onRetry: () => void;
  readonly children: (value: Value) => ComponentChildren;
}

/** A page of the settings: title, what was done, and the list once it is there. */
export function RecordsPage<Value>(props: PageProps<Value>) {
  const { title, lead, actions, done, fetched, onRetry, children } = props;
  return (
    <section class="records-page">
      <PageHead title={title} lead={lead} actions={fetched.kind === 'failed' ? undefined : actions} />
      <Done text={done} />
      {fetched.kind === 'loading' && (
        <div class="skeleton" role="status">
          <span class="out-of-sight">{words.ui.common.loading}</span>
          <div class="skeleton-row" />
          <div class="skeleton-row" />
        </div>
      )}
      {fetched.kind === 'failed' && (
        <div class="blank" role="alert">
          <h2>{words.settings.cannotLoad}</h2>
          <p>{fetched.problem}</p>
          <button class="button" type="button" onClick={onRetry}>
            {words.ui.common.tryAgain}
          </button>
        </div>
      )}
      {fetched.kind === 'ready' && children(fetched.value)}
    </section>
  );
}

export const PageHead = ({ title, lead, actions }: { title: string; lead: string; actions?: ComponentChildren }) => (
  <header class="page-head">
    <div>
      <h1>{title}</h1>
      <p class="page-lead">{lead}</p>
    </div>
    {actions}
  </header>
);

/** Always there, so that a screen reader hears what comes into it. */
export const Done = ({ text }: { text: string }) => (
  <div class="notice" role="status">
    {text && <bdi>{text}</bdi>}
  </div>
);

interface RecordProps {
  readonly name: string;
  readonly badges?: ComponentChildren;
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
  readonly actions?: ComponentChildren;
}

export const Records = ({ children }: { children: ComponentChildren }) => <ul class="records">{children}</ul>;

export const RecordItem = ({ name, badges, facts, actions }: RecordProps) => (
  <li class="record">
    <p class="record-name">
      <bdi>{name}</bdi> {badges}
    </p>
    <dl class="record-facts">
      {facts.map(([fact, value]) => (
        <div key={fact}>
          <dt>{fact}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    <div class="record-actions">{actions}</div>
  </li>
);

export const Badge = ({ text, kind = 'plain' }: { text: string; kind?: 'plain' | 'strong' }) => (
  <bdi class={`badge badge-${kind}`}>{text}</bdi>
);
