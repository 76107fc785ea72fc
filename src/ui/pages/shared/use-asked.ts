/** Something that the API knows: asked for when it is shown, and again on demand. */
import { useEffect, useState } from 'preact/hooks';
import { askApi } from './api.ts';
import { problemOf } from './problem-of.ts';

export type Asked<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: Value }
  | { readonly kind: 'failed'; readonly problem: string };

/** While it is asked for again, the value at hand stays. Without a path nothing is asked. */
export function useAsked<Value>(
  path: string | undefined,
  read: (body: unknown) => Value,
): [asked: Asked<Value>, again: () => void] {
  const [asked, setAsked] = useState<Asked<Value>>({ kind: 'loading' });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === undefined) return undefined;
    const controller = new AbortController();
    const ask = async (): Promise<void> => {
      const answer = await askApi(path, controller.signal);
      if (controller.signal.aborted) return;
      if (answer.kind === 'ok') setAsked({ kind: 'ready', value: read(answer.body) });
      else setAsked({ kind: 'failed', problem: problemOf(answer) });
    };
    void ask();
    return () => controller.abort();
  }, [path, round]);
  return [asked, () => setRound((was) => was + 1)];
}
