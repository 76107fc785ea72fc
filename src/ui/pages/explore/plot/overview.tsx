/** Detections over time, stacked by camera: click or drag to look closer, choose a camera to see it alone. */
import { useMemo, useState } from 'preact/hooks';
import { formatDuration, formatShortMoment } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { EventFilter } from '../filter/event-filter.ts';
import { bucketDetections } from './detection-buckets.ts';
import { plotRange } from './plot-range.ts';
import type { Detections } from './use-overview.ts';
import { usePlot } from './use-plot.ts';

interface OverviewProps {
  readonly detections: Detections;
  readonly filter: EventFilter;
  readonly cameras: readonly string[];
  /** The one camera that is chosen, when it is one. */
  readonly alone: string | undefined;
  readonly onCamera: (camera: string) => void;
  readonly onStretch: (after: number, before: number) => void;
}

const COLOURS = 8;

export function Overview({ detections, filter, cameras, alone, onCamera, onStretch }: OverviewProps) {
  const { events, isAll } = detections;
  const buckets = useMemo(
    () => bucketDetections(events, clockOffsetSeconds(), plotRange(filter, isAll, Date.now() / 1000)),
    [detections],
  );
  const [pointedAt, setPointedAt] = useState<number>();
  const colours = buckets.cameras.map(({ name }) => colourOf(cameras.indexOf(name)));
  const plot = usePlot({ buckets, colours, onStretch, onPoint: setPointedAt });
  const start = pointedAt === undefined ? undefined : buckets.starts[pointedAt];
  return (
    <figure class="overview">
      <div ref={plot} class="overview-plot" role="img" aria-label={words.overview.plot} />
      <figcaption class="overview-caption">
        <span class="overview-stretch">
          {start === undefined
            ? words.overview.per(formatStep(buckets.stepSeconds))
            : `${formatShortMoment(start)}, ${formatStep(buckets.stepSeconds)}`}
          {!isAll && `, ${words.overview.newestOnly(events.length)}`}
        </span>
        <ul class="legend">
          {buckets.cameras.map(({ name, total, counts }, at) => (
            <li key={name}>
              <button
                class="legend-camera"
                type="button"
                aria-pressed={name === alone}
                title={name === alone ? words.overview.allAgain : words.overview.onlyThis}
                onClick={() => onCamera(name)}
              >
                <svg class={`legend-colour ${colours[at]}`} viewBox="0 0 10 10" aria-hidden="true">
                  <rect width="10" height="10" rx="2.5" />
                </svg>
                <bdi>{name}</bdi>
                <span class="legend-count">{pointedAt === undefined ? total : (counts[pointedAt] ?? 0)}</span>
              </button>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

/** A camera keeps its colour whatever the filter. */
const colourOf = (position: number): string =>
  position >= 0 && position < COLOURS ? `camera-${position + 1}` : 'camera-other';

/** `hour`, `15 min` */
function formatStep(seconds: number): string {
  if (seconds === 60) return words.overview.minute;
  if (seconds === 3600) return words.overview.hour;
  return seconds === 86_400 ? words.overview.day : formatDuration(seconds);
}

const clockOffsetSeconds = (): number => -60 * new Date().getTimezoneOffset();
