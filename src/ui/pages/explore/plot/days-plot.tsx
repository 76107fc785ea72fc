/** The newest days, a bar each: days that are chosen are shown in the list (SPEC 8). */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { getFromApi } from '../../shared/api.ts';
import { formatCount, formatDate } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { EventFilter } from '../filter/event-filter.ts';
import { barsOf, type Days, readDays } from './days.ts';
import { StackPlot } from './stack-plot.tsx';
import { useSelection } from './use-selection.ts';

interface DaysPlotProps {
  readonly filter: Pick<EventFilter, 'cameras' | 'labels'>;
  /** The days are asked for again when it changes. */
  readonly round: number;
  readonly eventsBy: 'nvr' | 'backend';
  readonly onTime: (time: Pick<EventFilter, 'after' | 'before'>) => void;
}

/** So many days the service tells, by who counts them. */
const MOST_DAYS = { nvr: 30, backend: 90 } as const;
const DAY_SECONDS = 86_400;

export function DaysPlot({ filter, round, eventsBy, onTime }: DaysPlotProps) {
  const days = useDays(filter, round);
  const { starts, counts } = useMemo(() => barsOf(days ?? new Map(), MOST_DAYS[eventsBy]), [days, eventsBy]);
  const series = useMemo(() => (counts.length > 0 ? [{ name: '', colour: 'detections', counts }] : []), [counts]);
  const startOf = (day: number): number => starts[day] ?? 0;
  const selecting = useSelection(counts.length, (from, to) =>
    onTime({ after: startOf(from), before: startOf(to + 1) }),
  );
  const { selection } = selecting;
  const name = words.explore.overview.perDay[eventsBy];
  let said = '';
  if (selection) {
    const { from, to } = selection;
    const dates = [...new Set([from, to])].map((day) => formatDate(startOf(day))).join(' – ');
    said = `${dates}: ${formatCount(counts.slice(from, to + 1).reduce((sum, count) => sum + count, 0))}`;
  }
  return (
    <figure class="overview is-small" aria-busy={days === undefined}>
      <StackPlot
        label={`${name}. ${words.explore.overview.keys}`}
        starts={starts.slice(0, -1)}
        stepSeconds={DAY_SECONDS}
        {...{ series, selecting, said }}
      />
      <figcaption class="overview-caption">
        <p class="overview-stretch">{said || (days === null ? words.explore.overview.unavailable : name)}</p>
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

function useDays({ cameras, labels }: DaysPlotProps['filter'], round: number): Days {
  const [days, setDays] = useState<Days>();
  const query = new URLSearchParams({ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  if (cameras.length > 0) query.set('cameras', cameras.join(','));
  if (labels.length > 0) query.set('labels', labels.join(','));
  const asked = query.toString();
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const response = await getFromApi(`api/events/days?${asked}`, controller.signal);
      if (!controller.signal.aborted) setDays(response.kind === 'ok' ? readDays(response.body) : null);
    };
    void load();
    return () => controller.abort();
  }, [asked, round]);
  return days;
}
