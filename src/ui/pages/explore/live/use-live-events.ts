/** Keeps the list up to date while the page is seen, and never moves what is being read (SPEC 8). */
import { useEffect, useRef, useState } from 'preact/hooks';
import { viewedPerson } from '../../shared/view-as.ts';
import { type EventFilter, isSearchOfNvr } from '../filter/event-filter.ts';
import type { useEvents } from '../use-events.ts';
import { keepLine, type LineState, openNvrSocket, openStream } from './keep-line.ts';

/** A burst of events is one question. */
const BETWEEN_QUESTIONS_MILLISECONDS = 2000;

type List = ReturnType<typeof useEvents>;

/** `source` says when events are new. Undefined: nothing new can match the filter. */
export function useLiveEvents(list: List, filter: EventFilter, source: 'nvr' | 'backend'): LineState | undefined {
  const [state, setState] = useState<LineState>('connecting');
  const latest = useRef(list);
  latest.current = list;
  // Nothing comes by itself while the view of another person is shown.
  const isOpenEnded = filter.before === undefined && !isSearchOfNvr(filter, source) && viewedPerson() === undefined;
  const hasList = list.status === 'ready';
  const [wanted, setWanted] = useState(0);

  useEffect(() => {
    if (!isOpenEnded) return undefined;
    return keepLine(source === 'nvr' ? openNvrSocket : openStream('api/events/changes'), {
      onState: setState,
      onChange(newest) {
        const { events, waiting } = latest.current;
        const isKnown =
          (newest === null && events.length === 0) || [...events, ...waiting].some(({ id }) => id === newest);
        // The first message of a stream tells where the list stands already.
        if (!isKnown || wantsMore(latest.current)) setWanted((was) => was + 1);
      },
    });
  }, [source, isOpenEnded]);

  useCatchUp(latest, isOpenEnded && hasList ? wanted : 0);
  return isOpenEnded ? state : undefined;
}

/** An event in progress may be over. */
const wantsMore = ({ events, freshCount }: List): boolean =>
  freshCount > 0 || events.some(({ endTime }) => endTime === undefined);

/** Asks when `wanted` has grown, and not more often than every two seconds. */
function useCatchUp(latest: { readonly current: List }, wanted: number): void {
  const askedAt = useRef(Number.NEGATIVE_INFINITY);
  const answered = useRef(0);
  useEffect(() => {
    if (wanted <= answered.current) return undefined;
    const controller = new AbortController();
    const ask = (): void => {
      askedAt.current = performance.now();
      answered.current = wanted;
      void latest.current.catchUp(isBeingRead, controller.signal);
    };
    const timer = setTimeout(ask, Math.max(0, askedAt.current + BETWEEN_QUESTIONS_MILLISECONDS - performance.now()));
    return () => clearTimeout(timer);
  }, [wanted]);
}

/** Scrolled, focused, pointed at, or with an event open beside it: rows that come in above would push the others away. */
function isBeingRead(): boolean {
  const section = document.querySelector('.events');
  if (!section || section.querySelector('.event') === null) return false;
  if (scrollY > 4 || section.contains(document.activeElement)) return true;
  if (document.querySelector('dialog[open]')) return true;
  return matchMedia('(hover: hover)').matches && section.matches(':hover');
}
