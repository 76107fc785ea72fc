/** The newest days, a bar each: days that are chosen are shown in the list (SPEC 8). */
import { useMemo } from 'preact/hooks';
import { formatCount, formatDate } from '../../shared/times.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import type { EventFilter } from '../filter/event-filter.ts';
import { barsOf, readDays } from './bars.ts';
import { StackPlot, useSelection } from './stack-plot.tsx';

interface DaysPlotProps {
  readonly filter: Pick<EventFilter, 'cameras' | 'labels'>;
  /** The days are asked for again when it changes. */
  readonly round: number;
  readonly eventsBy: 'nvr' | 'backend';
  readonly onTime: (time: Pick<EventFilter, 'after' | 'before'>) => void;
}

/** So many days the service tells, by who counts them. */
const MOST_DAYS = { nvr: 30, backend: 90 } as const;

export function DaysPlot({ filter: { cameras, labels }, round, eventsBy, onTime }: DaysPlotProps) {
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
