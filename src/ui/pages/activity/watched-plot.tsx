/** Minutes watched by day, stacked by person: choose a person to see what that person saw (SPEC 14). */
import { useMemo, useState } from 'preact/hooks';
import { usePlot } from '../explore/plot/use-plot.ts';
import { formatDate } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import { bucketDays, type WatchedDay } from './read-activity.ts';

interface WatchedPlotProps {
  readonly days: readonly WatchedDay[];
  /** Unix seconds of the first day. */
  readonly first: number;
  readonly count: number;
  readonly user: string;
  readonly onUser: (user: string) => void;
}

const COLOURS = 8;
const ignore = (): void => {};

export function WatchedPlot({ days, first, count, user, onUser }: WatchedPlotProps) {
  const buckets = useMemo(() => bucketDays(days, first, count), [days, first, count]);
  const [at, setAt] = useState<number>();
  const colours = buckets.cameras.map((_, place) => (place < COLOURS ? `camera-${place + 1}` : 'camera-other'));
  const plot = usePlot({ buckets, colours, onStretch: ignore, onPoint: setAt });
  const start = at === undefined ? undefined : buckets.starts[at];
  return (
    <figure class="overview">
      <div ref={plot} class="overview-plot" role="img" aria-label={words.activity.plot} />
      <figcaption class="overview-caption">
        <span class="overview-stretch">{start === undefined ? words.activity.perDay : formatDate(start)}</span>
        <ul class="legend">
          {buckets.cameras.map(({ name, total, counts }, place) => (
            <li key={name}>
              <button
                class="legend-camera"
                type="button"
                aria-pressed={name === user}
                title={words.activity.whatSaw(name)}
                onClick={() => onUser(name)}
              >
                <svg class={`legend-colour ${colours[place]}`} viewBox="0 0 10 10" aria-hidden="true">
                  <rect width="10" height="10" rx="2.5" />
                </svg>
                <bdi>{name === '' ? '–' : name}</bdi>
                <span class="legend-count">
                  {words.activity.minutes(at === undefined ? total : Math.round(counts[at] ?? 0))}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
