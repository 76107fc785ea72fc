/** Detections over time, stacked by camera: drag over a stretch to look closer, choose a camera to see it alone. */
import { useMemo, useState } from 'preact/hooks';
import { sayLength, sayShortMoment } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import { bucketDetections, type Detection } from './detection-buckets.ts';
import { OVERVIEW_SIZE } from './use-overview.ts';
import { usePlot } from './use-plot.ts';

interface OverviewProps {
  readonly detections: readonly Detection[];
  readonly cameras: readonly string[];
  readonly onCamera: (camera: string) => void;
  readonly onStretch: (after: number, before: number) => void;
}

const COLOURS = 8;

export function Overview({ detections, cameras, onCamera, onStretch }: OverviewProps) {
  const buckets = useMemo(() => bucketDetections(detections, clockOffsetSeconds()), [detections]);
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
            ? words.overview.per(sayStep(buckets.stepSeconds))
            : `${sayShortMoment(start)}, ${sayStep(buckets.stepSeconds)}`}
          {detections.length >= OVERVIEW_SIZE && `, ${words.overview.newestOnly(OVERVIEW_SIZE)}`}
        </span>
        <ul class="legend">
          {buckets.cameras.map(({ name, total, counts }, at) => (
            <li key={name}>
              <button
                class="legend-camera"
                type="button"
                title={words.overview.onlyThis}
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
function sayStep(seconds: number): string {
  if (seconds === 60) return words.overview.minute;
  if (seconds === 3600) return words.overview.hour;
  return seconds === 86_400 ? words.overview.day : sayLength(seconds);
}

const clockOffsetSeconds = (): number => -60 * new Date().getTimezoneOffset();
