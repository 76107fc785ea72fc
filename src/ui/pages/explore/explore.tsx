/** Explore: the detections, newest first, to look at and to narrow down (SPEC 8). */
import { useMemo, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import type { Profile } from '../console/profile.ts';
import { Icon } from '../shared/icon.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { words } from '../shared/words.ts';
import { EventDetails } from './event-details.tsx';
import { type EventFilter, filterSearch, NO_FILTER, readFilter } from './event-filter.ts';
import { Events } from './event-list.tsx';
import type { EventView } from './event-view.ts';
import { FilterBar } from './filter-bar.tsx';
import { Overview } from './overview.tsx';
import { useEvents } from './use-events.ts';
import { useOpenEvent } from './use-open-event.ts';
import { OVERVIEW_SIZE, useLabels, useOverview } from './use-overview.ts';
import { useView, ViewChoice } from './view-choice.tsx';

export function Explore({ profile, hasNvr }: { profile: Profile; hasNvr: boolean }) {
  usePageTitle(words.explore.title);
  const [search, setSearch] = useSearchParams();
  const [view, setView] = useView();
  const [round, setRound] = useState(0);
  const filter = readFilter(search);
  const list = useEvents(filter, round);
  const detections = useOverview(filter, round);
  const seen = useNamesSeen(list.events, detections);
  const labels = union(useLabels(), seen.labels, filter.labels);
  const cameras = union(profile.cameras, seen.cameras, filter.cameras);
  const openId = search.get('event') ?? undefined;
  const openEvent = useOpenEvent(openId, list.events);

  const setFilter = (wanted: EventFilter): void => setSearch(filterSearch(wanted));
  const clear = (): void => setFilter(NO_FILTER);
  const reload = (): void => setRound((was) => was + 1);
  const hrefOf = (event: EventView): string => `/?${withEvent(filter, event.id)}`;

  return (
    <div class={openEvent ? 'explore has-details' : 'explore'}>
      <div class="explore-main">
        <header class="explore-head">
          <h1>{words.explore.title}</h1>
          <p class="explore-count" role="status">
            {sayCount(detections?.length)}
          </p>
          <ViewChoice view={view} onChoose={setView} />
          <button class="button" type="button" onClick={reload}>
            <Icon name="refresh" />
            <span class="button-text">{words.explore.refresh}</span>
          </button>
        </header>
        <FilterBar {...{ filter, cameras, labels }} onChange={setFilter} onClear={clear} />
        {detections && detections.length > 0 && (
          <Overview
            detections={detections}
            cameras={cameras}
            onCamera={(camera) => setFilter({ ...filter, cameras: [camera] })}
            onStretch={(after, before) => setFilter({ ...filter, after, before })}
          />
        )}
        <Events {...{ list, filter, view, openId, hrefOf }} onMore={list.loadMore} onRetry={reload} onClear={clear} />
      </div>
      {openEvent && (
        <EventDetails
          event={openEvent}
          hasNvr={hasNvr}
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

function sayCount(count: number | undefined): string {
  if (count === undefined || count === 0) return '';
  if (count >= OVERVIEW_SIZE) return words.explore.moreThan(OVERVIEW_SIZE - 1);
  return words.explore.detections(count);
}

/** Names once seen stay on offer, also when a filter hides their events. */
function useNamesSeen(...lists: readonly (readonly EventView[] | undefined)[]): NamesSeen {
  const seen = useMemo(() => ({ labels: new Set<string>(), cameras: new Set<string>() }), []);
  useMemo(() => {
    for (const { label, camera } of lists.flatMap((list) => list ?? [])) {
      seen.labels.add(label);
      seen.cameras.add(camera);
    }
  }, lists);
  return seen;
}

interface NamesSeen {
  readonly labels: ReadonlySet<string>;
  readonly cameras: ReadonlySet<string>;
}

const union = (...lists: Iterable<string>[]): string[] =>
  [...new Set(lists.flatMap((list) => [...list]))].sort((a, b) => a.localeCompare(b));
