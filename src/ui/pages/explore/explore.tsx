/** Explore: the detections, newest first, to look at and to narrow down (SPEC 8). */
import { useMemo, useRef, useState } from 'preact/hooks';
import { useLocation, useSearchParams } from 'wouter-preact';
import { useProfile } from '../shared/account.ts';
import { goToLogin, isOutage, useFetched, valueOr } from '../shared/api.ts';
import { store, storedChoice } from '../shared/browser.ts';
import { colourAt, readDays, toBars } from '../shared/events/bars.ts';
import { type EventView, readEvent } from '../shared/events/event-view.ts';
import { Plot, useSelection } from '../shared/events/stack-plot.tsx';
import { Choice } from '../shared/fields.tsx';
import { Button, Icon, usePageTitle } from '../shared/parts.tsx';
import { readTexts } from '../shared/untrusted.ts';
import { facts, formatCount, formatDate, labelName, words } from '../shared/words.ts';
import { EventDetails } from './event-details.tsx';
import {
  type EventFilter,
  LAST_DAYS,
  moreCount,
  namesIn,
  timeIn,
  weekBefore,
  withUsualTime,
  withValues,
} from './event-filter.ts';
import { Events } from './event-list.tsx';
import { FilterBar } from './filter-bar.tsx';
import { useEvents } from './use-events.ts';

/** So many days the service tells, by who counts them. */
const MOST_DAYS = { nvr: 30, backend: 90 } as const;

interface DaysPlotProps {
  readonly filter: EventFilter;
  /** The days are asked for again when it changes. */
  readonly round: number;
  readonly onTime: (after: number, before?: number) => void;
}

/** The newest days, a bar each: days that are chosen are shown in the list (SPEC 8). */
function DaysPlot({ filter, round, onTime }: DaysPlotProps) {
  const query = new URLSearchParams({ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  for (const name of ['camera', 'label'] as const) {
    const names = namesIn(filter, name);
    if (names.length > 0) query.set(`${name}s`, names.join(','));
  }
  const path = `api/events/days?${query}`;
  const [fetched] = useFetched(path, (body) => ({ path, days: readDays(body) }), round);
  const last = useRef<{ readonly path: string; readonly days: ReturnType<typeof readDays> }>(undefined);
  last.current = valueOr(fetched, last.current);
  // Days that cannot be counted anew stay; not the days of an earlier filter, nor days that the person may not see any more.
  const isKept = fetched.kind !== 'failed' || (last.current?.path === path && isOutage(fetched.status));
  const days = (isKept ? last.current?.days : undefined) ?? null;
  const { starts, counts } = useMemo(() => toBars(days ?? new Map(), MOST_DAYS[facts.eventsBy]), [days]);
  const series = useMemo(() => (counts.length > 0 ? [{ name: '', colour: colourAt(0), counts }] : []), [counts]);
  const startOf = (day: number): number => starts[day] ?? 0;
  const selecting = useSelection(counts.length, (from, to) => onTime(startOf(from), startOf(to + 1)));
  const { selection } = selecting;
  const [after, before] = [timeIn(filter, 'after'), timeIn(filter, 'before')];
  const listed = counts.flatMap((_, day) =>
    startOf(day + 1) > (after ?? 0) && startOf(day) < (before ?? Number.POSITIVE_INFINITY) ? [day] : [],
  );
  const text = words.explore.overview;
  const name = text.perDay[facts.eventsBy];
  let said = '';
  if (selection) {
    const { from, to } = selection;
    const dates = [...new Set([from, to])].map((day) => formatDate(startOf(day))).join(' – ');
    said = `${dates}: ${formatCount(counts.slice(from, to + 1).reduce((sum, count) => sum + count, 0))}`;
  }
  return (
    <Plot
      label={`${name}. ${text.keys}`}
      starts={starts.slice(0, -1)}
      isBusy={fetched.kind === 'loading'}
      {...{ series, selecting, said }}
      shaded={listed}
      caption={fetched.kind === 'failed' || (fetched.kind === 'ready' && days === null) ? text.unavailable : name}
      zoom={text.zoomIn}
      beside={LAST_DAYS.map(([name, begins, ends]) => (
        <Button
          key={name}
          kind="small"
          aria-pressed={after === begins() && before === ends()}
          onPress={() => onTime(begins(), ends())}
        >
          {words.explore.filters[name]}
        </Button>
      ))}
    />
  );
}

/** Kept in this browser. */
const VIEWS = ['list', 'gallery'] as const;
const VIEW_KEY = 'postern-view';
/** Pictures stand beside each other here, until a person chooses the list. */
const TABLET = '(width >= 48rem)';

export function Explore() {
  usePageTitle(words.explore.title);
  const [path] = useLocation();
  const [search, setSearch] = useSearchParams();
  const [view, setView] = useState(() =>
    storedChoice(VIEW_KEY, VIEWS, matchMedia(TABLET).matches ? 'gallery' : 'list'),
  );
  const [round, setRound] = useState(0);
  const filter = withValues(search);
  const weekAgo = useMemo(() => weekBefore(Date.now() / 1000), [round]);
  const known = valueOr(useFetched('api/labels', readTexts)[0], []);
  // The name of a label as the whole search asks for that label: descriptions need not have the word. Where labels are chosen, it must be one of them.
  const typed = filter.get('text')?.toLowerCase();
  const chosen = namesIn(filter, 'label');
  const label = (chosen.length > 0 ? chosen : known).find((one) =>
    [one, labelName(one)].some((name) => name.toLowerCase() === typed),
  );
  const asked = label === undefined ? filter : withValues(filter, { text: '', label });
  const shown = withUsualTime(asked, weekAgo);
  const list = useEvents(shown, String(asked), round);
  // The days are counted by these two filters alone.
  const hasDays = moreCount(asked) === 0 && !asked.get('text');
  const seen = (name: 'label' | 'camera') => [...list.events.map((event) => event[name]), ...namesIn(filter, name)];
  const labels = union(known, seen('label'));
  const cameras = union(useProfile().allowed_cameras, seen('camera'));
  const openId = search.get('event') ?? undefined;
  const open = useOpenEvent(openId, list.events);
  const openAt = list.events.findIndex(({ id }) => id === openId);
  const reload = (): void => setRound((was) => was + 1);
  return (
    <div class={open.event ? 'explore has-details' : 'explore'}>
      <div class="explore-main">
        <header class="row explore-head">
          <h1>{words.explore.title}</h1>
          <p class={`live live-${list.live ?? 'off'}`} role="status">
            {list.live !== undefined && list.live !== 'connecting' && (
              <span class="live-word">{words.explore.live[list.live]}</span>
            )}{' '}
            {list.live === 'login-needed' && (
              <Button kind="plain" onPress={() => goToLogin(null)}>
                {words.explore.live.logIn}
              </Button>
            )}
          </p>
          <Choice
            name="view"
            legend={words.explore.showAs}
            options={VIEWS.map((one) => [one, words.explore[one]] as const)}
            chosen={view}
            onChoose={(wanted) => {
              store('localStorage', VIEW_KEY, wanted);
              setView(wanted);
            }}
          />
          <Button onPress={reload}>
            <Icon name="refresh" />
            <span class="button-text">{words.explore.refresh}</span>
          </Button>
        </header>
        {open.problem !== undefined && (
          <p class="notice notice-warn" role="alert">
            {open.problem}
          </p>
        )}
        <FilterBar {...{ filter, cameras, labels }} onChange={setSearch} />
        {hasDays && (
          <DaysPlot
            {...{ filter: shown, round }}
            onTime={(after, before) => setSearch(withValues(filter, { after, before }))}
          />
        )}
        <Events
          {...{ list, filter: asked, view, openId }}
          hrefOf={(event) => `${path}?${withEvent(filter, event.id)}`}
          onFilter={setSearch}
          onRetry={reload}
        />
      </div>
      {open.event && (
        <EventDetails
          event={open.event}
          previous={list.events[openAt - 1]}
          next={openAt < 0 ? undefined : list.events[openAt + 1]}
          onOpen={({ id }) => setSearch(withEvent(filter, id), { replace: true })}
          onClose={() => setSearch(filter, { replace: true })}
        />
      )}
    </div>
  );
}

const withEvent = (filter: EventFilter, id: string): URLSearchParams =>
  new URLSearchParams([...withValues(filter), ['event', id]]);

const union = (...lists: Iterable<string>[]): string[] =>
  [...new Set(lists.flatMap((list) => [...list]))].sort((a, b) => a.localeCompare(b));

/** The event whose details are open: from the list if it is there, else asked for by its id (a shared link). `problem`: why it cannot be shown. */
function useOpenEvent(
  id: string | undefined,
  events: readonly EventView[],
): { readonly event?: EventView | undefined; readonly problem?: string } {
  const event = events.find((one) => one.id === id);
  const [fetched] = useFetched(id !== undefined && !event && `api/events/${encodeURIComponent(id)}`, readEvent);
  if (event || id === undefined || fetched.kind === 'loading') return { event };
  if (fetched.kind === 'ready') {
    if (!fetched.value) return { problem: words.ui.common.unreadable };
    return fetched.value.id === id ? { event: fetched.value } : {};
  }
  const { status, problem } = fetched;
  // Without a network or a session the list says what is wrong.
  if (status === undefined) return {};
  // The caller must not learn which of the two it is.
  return { problem: status === 403 || status === 404 ? words.explore.details.gone : problem };
}
