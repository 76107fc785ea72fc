/** Work that asks the NVR: a list that the gate composes, or what must be known before a response is narrowed (SPEC 5). */
import { type PlainView, withSight } from '../../access/camera-view.ts';
import type { AskNvr, NvrAdapter } from '../../access/nvr-adapter.ts';
import { UnexpectedForm } from '../../domain/json.ts';
import type { AdapterForm, ComposedList } from '../../domain/policy.ts';

/** Plain data, so that a thread can be given it. */
export type AskTask =
  /** Gives the list as JSON. */
  | {
      readonly kind: 'compose';
      readonly list: ComposedList;
      readonly view: PlainView;
      readonly limit: number | undefined;
    }
  /** Gives what the rule of the form knows. */
  | { readonly kind: 'know'; readonly form: AdapterForm; readonly view: PlainView };

export async function askNow(task: AskTask, ask: AskNvr, { lists, answers }: NvrAdapter): Promise<unknown> {
  const view = withSight(task.view);
  if (task.kind === 'compose') return JSON.stringify(await lists[task.list]?.compose({ view, limit: task.limit, ask }));
  const knows = answers[task.form]?.knows;
  if (typeof knows !== 'function') throw new UnexpectedForm(`nothing is asked for the form ${task.form}`);
  return knows(view, ask);
}
