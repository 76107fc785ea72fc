/** Draws the stacked bars with uPlot, which is loaded only when there is something to draw. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { onThemeChange } from '../../shared/theme.ts';
import { formatTick } from '../../shared/times.ts';
import { type DetectionBuckets, stacked } from './detection-buckets.ts';

export interface Plot {
  readonly buckets: DetectionBuckets;
  /** Names of custom properties, one per camera. */
  readonly colours: readonly string[];
  readonly onStretch: (after: number, before: number) => void;
  /** The stretch under the pointer. */
  readonly onPoint: (at: number | undefined) => void;
}

const HEIGHT = 150;

export function usePlot(plot: Plot): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(plot);
  latest.current = plot;
  useEffect(() => {
    let stop = (): void => {};
    let isGone = false;
    const start = async (): Promise<void> => {
      const { default: UPlot } = await import('uplot');
      if (!isGone && place.current) stop = keepDrawn(UPlot, place.current, latest.current);
    };
    void start();
    return () => {
      isGone = true;
      stop();
    };
  }, [plot.buckets, plot.colours.join()]);
  return place;
}

/** Drawn again with every theme: a canvas knows no custom properties. */
function keepDrawn(UPlot: typeof uPlot, place: HTMLElement, plot: Plot): () => void {
  let drawn = draw(UPlot, place, plot);
  const stopTheme = onThemeChange(() => {
    drawn.destroy();
    drawn = draw(UPlot, place, plot);
  });
  const width = new ResizeObserver(() => drawn.setSize({ width: place.clientWidth, height: HEIGHT }));
  width.observe(place);
  return () => {
    stopTheme();
    width.disconnect();
    drawn.destroy();
  };
}

function draw(UPlot: typeof uPlot, place: HTMLElement, { buckets, colours, onStretch, onPoint }: Plot): uPlot {
  const colour = (name: string): string => colourIn(place, name);
  const rows = stacked(buckets.cameras.map(({ counts }) => counts)).reverse();
  const bars = UPlot.paths.bars?.({ size: [0.86, 48], align: 1, radius: 0.1 });
  const series = [...colours].reverse().map((name) => ({
    fill: colour(name),
    width: 0,
    points: { show: false },
    ...(bars ? { paths: bars } : {}),
  }));
  /** A click closes in on one bar; there is nothing in less than its step. */
  const onStart = (at: number | null | undefined): void => {
    const start = buckets.starts[at ?? -1];
    if (start !== undefined) onStretch(start, start + buckets.stepSeconds);
  };
  const font = `12px ${getComputedStyle(place).fontFamily}`;
  const axis = { stroke: colour('muted'), font, grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
  const [first = 0, last = 0] = [buckets.starts[0], buckets.starts.at(-1)];
  const options: uPlot.Options = {
    width: place.clientWidth,
    height: HEIGHT,
    padding: [10, 16, 0, 0],
    legend: { show: false },
    series: [{}, ...series],
    axes: [
      { ...axis, grid: { show: false }, space: 64, size: 26, values: formatTicks },
      { ...axis, size: 38, space: 34, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
    ],
    scales: {
      x: { range: [first, last + buckets.stepSeconds] },
      y: { range: (_, __, most) => [0, Math.max(1, most)] },
    },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    hooks: {
      setCursor: [
        ({ cursor }) => onPoint(cursor.left === undefined || cursor.left < 0 ? undefined : (cursor.idx ?? undefined)),
      ],
      ready: [({ over, cursor }) => over.addEventListener('click', () => onStart(cursor.idx))],
      setSelect: [({ select, posToVal }) => select.width > 4 && onStretch(...stretch(select, posToVal))],
    },
  };
  return new UPlot(options, [[...buckets.starts], ...rows], place);
}

const formatTicks: uPlot.Axis.DynamicValues = (_, times) =>
  times.map((time, at) => formatTick(time, (times[at + 1] ?? time) - time || time - (times[at - 1] ?? time)));

const stretch = (select: uPlot.Select, toTime: uPlot['posToVal']): [after: number, before: number] => [
  Math.floor(toTime(select.left, 'x')),
  Math.ceil(toTime(select.left + select.width, 'x')),
];

/** A canvas takes no custom properties, and no `light-dark()`: the browser resolves them on an element. */
function colourIn(place: HTMLElement, name: string): string {
  place.style.color = `var(--${name})`;
  const { color } = getComputedStyle(place);
  place.style.color = '';
  return color;
}
