/** Explore: the detections, newest first, to look at and to narrow down (SPEC 8). */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { isAdmin, type Profile } from '../shared/account.ts';
import { getFromApi } from '../shared/api.ts';
import { storeChoice, storedChoice } from '../shared/browser.ts';
import { Choice } from '../shared/fields.tsx';
import type { PageFacts } from '../shared/page-facts.ts';
import { Icon, usePageTitle } from '../shared/parts.tsx';
import { goToLogin } from '../shared/problems.ts';
import { textsOf } from '../shared/untrusted.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { formatCount, formatDate, words } from '../shared/words.ts';
import { barsOf, readDays } from './bars.ts';
import { EventDetails } from './event-details.tsx';
import {
  ANY_TIME,
  type EventFilter,
  filterSearch,
  isNewestFirst,
  isSearchOfNvr,
  moreCount,
  NO_FILTER,
  readFilter,
  weekBefore,
  withUsualTime,
} from './event-filter.ts';
import { Events } from './event-list.tsx';
import { type EventView, readEvent } from './event-view.ts';
import { FilterBar } from './filter-bar.tsx';
import type { LineState } from './keep-line.ts';
import { StackPlot, useSelection } from './stack-plot.tsx';
import { useEvents, useLiveEvents } from './use-events.ts';

/** The newest days, a bar each: days that are chosen are shown in the list (SPEC 8). */
interface DaysPlotProps {
  readonly filter: Pick<EventFilter, 'cameras' | 'labels'>;
  /** The days are asked for again when it changes. */
  readonly round: number;
  readonly eventsBy: 'nvr' | 'backend';
  readonly onTime: (time: Pick<EventFilter, 'after' | 'before'>) => void;
}

/** So many days the service tells, by who counts them. */
const MOST_DAYS = { nvr: 30, backend: 90 } as const;

function DaysPlot({ filter: { cameras, labels }, round, eventsBy, onTime }: DaysPlotProps) {
  const query = new URLSearchParams({ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  if (cameras.length > 0) query.set('cameras', cameras.join(','));
  if (labels.length > 0) query.set('labels', labels.join(','));
  const [fetched] = useFetched(`api/events/days?${query}`, readDays, round);
  const days = fetched.kind === 'ready' ? fetched.value : null;
  const { starts, series } = useMemo(() => {
    const { starts, counts } = barsOf(days ?? new Map(), MOST_DAYS[eventsBy]);
    return { starts, series: counts.length > 0 ? [{ name: '', colour: 'detections', counts }] : [] };
  }, [days, eventsBy]);
  const bars = useMemo(() => starts.slice(0, -1), [starts]);
  const startOf = (day: number): number => starts[day] ?? 0;
  const selecting = useSelection(bars.length, (from, to) => onTime({ after: startOf(from), before: startOf(to + 1) }));
  const { selection } = selecting;
  const name = words.explore.overview.perDay[eventsBy];
  let said = '';
  if (selection) {
    const { from, to } = selection;
    const dates = [...new Set([from, to])].map((day) => formatDate(startOf(day))).join(' – ');
    const counted = series[0]?.counts.slice(from, to + 1) ?? [];
    said = `${dates}: ${formatCount(counted.reduce((sum, count) => sum + count, 0))}`;
  }
  const isUnavailable = fetched.kind !== 'loading' && days === null;
  return (
    <figure class="overview is-small" aria-busy={fetched.kind === 'loading'}>
      <StackPlot label={`${name}. ${words.explore.overview.keys}`} starts={bars} {...{ series, selecting, said }} />
      <figcaption class="overview-caption">
        <p class="overview-stretch">{said || (isUnavailable ? words.explore.overview.unavailable : name)}</p>
        {selection?.isHeld && (
          // A press must not take the focus from the plot: its selection would be gone.
          <button
            class="button"
            type="button"
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => selecting.choose(selection.from, selection.to)}
          >
            {words.explore.overview.zoomIn}
          </button>
        )}
      </figcaption>
    </figure>
  );
}

/** Kept in this browser. */
const VIEWS = ['list', 'gallery'] as const;
const VIEW_KEY = 'postern-view';

export function Explore({ profile, facts }: { profile: Profile; facts: PageFacts }) {
  usePageTitle(words.explore.title);
  const [search, setSearch] = useSearchParams();
  const [view, setView] = useState(() => storedChoice(VIEW_KEY, VIEWS, 'list'));
  const [round, setRound] = useState(0);
  const filter = readFilter(search);
  const weekAgo = useMemo(() => weekBefore(Date.now() / 1000), [round]);
  const asked = withUsualTime(filter, weekAgo);
  const list = useEvents(asked, round, facts.eventsBy);
  const live = useLiveEvents(list, asked, facts.eventsBy);
  // The days are counted by these two filters alone.
  const hasDays = moreCount(filter.more) === 0 && filter.more.text === undefined;
  const seen = useNamesSeen(list.events);
  const [known] = useFetched('api/labels', textsOf);
  const labels = union(known.kind === 'ready' ? known.value : [], seen.labels, filter.labels);
  const cameras = union(profile.cameras, seen.cameras, filter.cameras);
  const openId = search.get('event') ?? undefined;
  const open = useOpenEvent(openId, list.events);
  const openAt = list.events.findIndex(({ id }) => id === openId);

  const chooseView = (wanted: (typeof VIEWS)[number]): void => {
    storeChoice(VIEW_KEY, wanted);
    setView(wanted);
  };
  const setFilter = (wanted: EventFilter): void => setSearch(filterSearch(wanted));
  const clear = (): void => setFilter(NO_FILTER);
  const reload = (): void => setRound((was) => was + 1);
  /** Shows the events that wait. A list in another order is loaded anew: the service knows where new events stand in it. */
  const showArrivals = isNewestFirst(filter) ? list.showWaiting : reload;
  const hrefOf = (event: EventView): string => `/?${withEvent(filter, event.id)}`;

  return (
    <div class={open.event ? 'explore has-details' : 'explore'}>
      <div class="explore-main">
        <header class="explore-head">
          <h1>{words.explore.title}</h1>
          <LiveState state={live} />
          <Choice
            name="view"
            legend={words.explore.showAs}
            options={VIEWS.map((one) => [one, words.explore[one]] as const)}
            chosen={view}
            onChoose={chooseView}
          />
          <button class="button" type="button" onClick={reload}>
            <Icon name="refresh" />
            <span class="button-text">{words.explore.refresh}</span>
          </button>
        </header>
        {open.problem !== undefined && (
          <p class="notice notice-warn" role="alert">
            {open.problem}
          </p>
        )}
        <FilterBar {...{ filter, cameras, labels }} onChange={setFilter} onClear={clear} />
        {hasDays && (
          <DaysPlot
            {...{ filter, round, eventsBy: facts.eventsBy }}
            onTime={(time) => setFilter({ ...filter, ...time })}
          />
        )}
        <Events
          {...{ list, filter, view, openId, hrefOf }}
          isByLikeness={isSearchOfNvr(filter, facts.eventsBy)}
          isToConnect={!facts.hasNvr && isAdmin(profile)}
          onMore={list.loadMore}
          onRetry={reload}
          onClear={clear}
          onAnyTime={() => setFilter({ ...filter, after: ANY_TIME })}
          onArrivals={showArrivals}
        />
      </div>
      {open.event && (
        <EventDetails
          event={open.event}
          hasNvr={facts.hasNvr}
          previous={list.events[openAt - 1]}
          next={openAt < 0 ? undefined : list.events[openAt + 1]}
          onOpen={({ id }) => setSearch(withEvent(filter, id), { replace: true })}
          onClose={() => setSearch(filterSearch(filter), { replace: true })}
        />
      )}
    </div>
  );
}

const withEvent = (filter: EventFilter, id: string): URLSearchParams => {
  const search = filterSearch(filter);
  search.set('event', id);
  return search;
};

/** Whether new events come by themselves now, in a word; and what is wrong when they do not. */
const LiveState = ({ state }: { state: LineState | undefined }) => (
  <p class={`live live-${state ?? 'off'}`} role="status">
    {state !== undefined && state !== 'connecting' && <span class="live-word">{words.explore.live[state]}</span>}
    {state === 'login-needed' && (
      <>
        {' '}
        <button class="button button-plain" type="button" onClick={() => goToLogin(null)}>
          {words.explore.live.logIn}
        </button>
      </>
    )}
  </p>
);

/** Names once seen stay on offer, also when a filter hides their events. */
function useNamesSeen(events: readonly EventView[]) {
  const seen = useMemo(() => ({ labels: new Set<string>(), cameras: new Set<string>() }), []);
  useMemo(() => {
    for (const { label, camera } of events) {
      seen.labels.add(label);
      seen.cameras.add(camera);
    }
  }, [events]);
  return seen;
}

const union = (...lists: Iterable<string>[]): string[] =>
  [...new Set(lists.flatMap((list) => [...list]))].sort((a, b) => a.localeCompare(b));

/** The event whose details are open: from the list if it is there, else asked for by its id (a shared link). */
interface OpenEvent {
  readonly event?: EventView | undefined;
  /** Why it cannot be shown, as text. */
  readonly problem?: string;
}

const NOTHING: OpenEvent = {};

/** Both cases give the same text: the caller must not learn which one it is. */
const problemOf = ({ status, message }: { readonly status: number; readonly message: string }): string =>
  status === 403 || status === 404 ? words.explore.details.gone : message;

function useOpenEvent(id: string | undefined, events: readonly EventView[]): OpenEvent {
  const listed = events.find((event) => event.id === id);
  const [fetched, setFetched] = useState<OpenEvent & { readonly id?: string }>(NOTHING);
  const missing = id !== undefined && !listed && fetched.id !== id ? id : undefined;
  useEffect(() => {
    if (missing === undefined) return undefined;
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const response = await getFromApi(`api/events/${encodeURIComponent(missing)}`, controller.signal);
      const event = response.kind === 'ok' ? readEvent(response.body) : undefined;
      if (event) setFetched({ id: missing, event });
      else if (response.kind === 'ok') setFetched({ id: missing, problem: words.ui.common.unreadable });
      // Without a network or a session the list says what is wrong.
      else if (response.kind === 'refused') setFetched({ id: missing, problem: problemOf(response) });
    };
    void load();
    return () => controller.abort();
  }, [missing]);
  if (listed) return { event: listed };
  return fetched.id === id ? fetched : NOTHING;
}
