/** Stacked bars over time, in the width that there is; its height is the same with and without bars. */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount, formatTick } from '../../shared/times.ts';
import { stackedBars, sumsOf } from './bars.ts';
import { countMarks, timeMarks } from './plot-axes.ts';
import type { useSelection } from './use-selection.ts';

export interface PlotSeries {
  readonly name: string;
  /** A class that sets `fill`. */
  readonly colour: string;
  /** One a slice. */
  readonly counts: readonly number[];
}

interface StackPlotProps {
  readonly label: string;
  readonly starts: readonly number[];
  readonly stepSeconds: number;
  /** The first is at the bottom. */
  readonly series: readonly PlotSeries[];
  readonly selecting: ReturnType<typeof useSelection>;
  /** What is selected, in words. */
  readonly said: string;
}

/** Pixels that a mark of the time axis needs. */
const MARK_WIDTH = 68;

export function StackPlot({ label, starts, stepSeconds, series, selecting, said }: StackPlotProps) {
  const area = useRef<HTMLDivElement>(null);
  const width = useWidth(area);
  const slices = starts.length;
  const rows = series.map(({ counts }) => counts);
  const marks = useMemo(() => countMarks(Math.max(0, ...sumsOf(rows, slices))), [series, slices]);
  const top = marks.at(-1) ?? 1;
  const bars = useMemo(() => stackedBars(rows, top), [series, top]);
  const times = useMemo(
    () => timeMarks(starts, stepSeconds, Math.max(1, Math.floor(width / MARK_WIDTH))),
    [starts, stepSeconds, width],
  );
  const { selection, handlers } = selecting;
  /** Half a label reaches over its mark on both sides. */
  const isInside = (at: number): boolean => (at / slices) * width > 24 && (1 - at / slices) * width > 32;
  return (
    <div class="plot">
      <div class="plot-counts" aria-hidden="true">
        {marks.map((mark) => (
          <span key={mark} style={{ bottom: `${(mark / top) * 100}%` }}>
            {slices > 0 && formatCount(mark)}
          </span>
        ))}
      </div>
      <div
        ref={area}
        class="plot-area"
        role="slider"
        tabIndex={slices > 0 ? 0 : -1}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, slices - 1)}
        aria-valuenow={selection?.to ?? 0}
        aria-valuetext={said}
        {...handlers}
      >
        <svg viewBox={`0 0 ${Math.max(1, slices)} 100`} preserveAspectRatio="none" aria-hidden="true">
          {marks.map((mark) => (
            <line
              key={mark}
              class="plot-line"
              x2={Math.max(1, slices)}
              y1={100 - (mark / top) * 100}
              y2={100 - (mark / top) * 100}
            />
          ))}
          {selection && (
            <rect class="plot-selected" x={selection.from} width={selection.to - selection.from + 1} height="100" />
          )}
          {bars.map((path, at) => (
            <path key={series[at]?.name} class={series[at]?.colour} d={path} />
          ))}
        </svg>
      </div>
      <div class="plot-times" aria-hidden="true">
        {times.marks
          .filter(({ at }) => isInside(at))
          .map(({ at, time }) => (
            <span key={time} style={{ left: `${(at / slices) * 100}%` }}>
              {formatTick(time, times.distance)}
            </span>
          ))}
      </div>
    </div>
  );
}

function useWidth(place: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!place.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
