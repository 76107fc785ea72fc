/** A list of things with a name, facts and ways to change them: rows where there is room, else cards. */
import type { ComponentChildren } from 'preact';
import type { Asked } from '../shared/use-asked.ts';
import { words } from '../shared/words.ts';

interface PageProps<Value> {
  readonly title: string;
  readonly lead: string;
  /** Beside the title: what can be done with the whole. */
  readonly ways?: ComponentChildren;
  /** What was done just now. */
  readonly done: string;
  /** Why it could not be done. */
  readonly problem?: string;
  readonly asked: Asked<Value>;
  readonly onRetry: () => void;
  readonly children: (value: Value) => ComponentChildren;
}

/** A page of the settings: title, what was done, and the list once it is there. */
export function RecordsPage<Value>(props: PageProps<Value>) {
  const { title, lead, ways, done, problem = '', asked, onRetry, children } = props;
  return (
    <section class="records-page">
      <PageHead title={title} lead={lead} ways={asked.kind === 'failed' ? undefined : ways} />
      <Done text={done} />
      <div class="notice notice-bad" role="alert">
        {problem}
      </div>
      {asked.kind === 'loading' && (
        <div class="skeleton" role="status">
          <span class="out-of-sight">{words.common.loading}</span>
          <div class="skeleton-row" />
          <div class="skeleton-row" />
        </div>
      )}
      {asked.kind === 'failed' && (
        <div class="blank" role="alert">
          <h2>{words.settings.cannotLoad}</h2>
          <p>{asked.problem}</p>
          <button class="button" type="button" onClick={onRetry}>
            {words.common.tryAgain}
          </button>
        </div>
      )}
      {asked.kind === 'ready' && children(asked.value)}
    </section>
  );
}

export const PageHead = ({ title, lead, ways }: { title: string; lead: string; ways?: ComponentChildren }) => (
  <header class="page-head">
    <div>
      <h1>{title}</h1>
      <p class="page-lead">{lead}</p>
    </div>
    {ways}
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
  readonly ways?: ComponentChildren;
}

export const Records = ({ children }: { children: ComponentChildren }) => <ul class="records">{children}</ul>;

export const RecordItem = ({ name, badges, facts, ways }: RecordProps) => (
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
    <div class="record-ways">{ways}</div>
  </li>
);

export const Badge = ({ text, kind = 'plain' }: { text: string; kind?: 'plain' | 'strong' }) => (
  <bdi class={`badge badge-${kind}`}>{text}</bdi>
);

export const Names = ({ names, none }: { names: readonly string[]; none: string }) =>
  names.length === 0 ? (
    none
  ) : (
    <span class="chips">
      {names.map((name) => (
        <bdi key={name} class="chip">
          {name}
        </bdi>
      ))}
    </span>
  );
