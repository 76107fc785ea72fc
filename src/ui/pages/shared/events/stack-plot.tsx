/** Stacked bars, one a day, in the width that there is: days are pointed at and chosen by mouse, by touch, and by keys. */
import type { ComponentChildren, TargetedFocusEvent, TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../parts.tsx';
import { formatCount, formatTick } from '../words.ts';
import { countMarks, dayMarks, stackedBars, sumSlices } from './bars.ts';

interface PlotProps {
  readonly label: string;
  /** Midnights, in Unix seconds. */
  readonly starts: readonly number[];
  /** The first is at the bottom. `counts`: one a day. */
  readonly series: readonly { readonly name: string; readonly colour: string; readonly counts: readonly number[] }[];
  readonly selecting: ReturnType<typeof useSelection>;
  /** Days that follow each other, such as the days of a list below it; all of them need no shade. */
  readonly shaded?: readonly number[];
  /** What is selected, in words; '' for nothing: then the caption is shown. */
  readonly said: string;
  readonly caption: string;
  readonly isBusy?: boolean;
  /** What the button says that chooses the selection. */
  readonly zoom?: string;
  /** What stands in its place meanwhile. */
  readonly beside?: ComponentChildren;
  /** What follows below it. */
  readonly children?: ComponentChildren;
}

/** Pixels that a mark of the time axis needs. */
const MARK_WIDTH = 68;

/** Its height is the same with and without bars. */
export function Plot(props: PlotProps) {
  const { label, starts, series, shaded = [], said, caption, isBusy = false, zoom, beside, children } = props;
  const { selection, handlers, choose } = props.selecting;
  const area = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    if (area.current) observer.observe(area.current);
    return () => observer.disconnect();
  }, []);
  const slices = starts.length;
  const { marks, top, bars } = useMemo(() => {
    const rows = series.map(({ counts }) => counts);
    const marks = countMarks(Math.max(0, ...sumSlices(rows, slices)));
    const top = marks.at(-1) ?? 1;
    return { marks, top, bars: stackedBars(rows, top) };
  }, [series, slices]);
  const days = dayMarks(starts, Math.max(1, Math.floor(width / MARK_WIDTH)));
  /** Half a label reaches over its mark on both sides. */
  const isInside = (at: number): boolean => (at / slices) * width > 24 && (1 - at / slices) * width > 32;
  return (
    <figure class="overview" aria-busy={isBusy}>
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
            {marks.map((mark) => {
              const y = 100 - (mark / top) * 100;
              return <line key={mark} class="plot-line" x2={Math.max(1, slices)} y1={y} y2={y} />;
            })}
            {shaded.length > 0 && shaded.length < slices && (
              <rect class="plot-selected plot-shaded" opacity="0.6" x={shaded[0]} width={shaded.length} height="100" />
            )}
            {selection && (
              <rect class="plot-selected" x={selection.from} width={selection.to - selection.from + 1} height="100" />
            )}
            {bars.map((path, at) => (
              <path key={series[at]?.name} style={{ fill: series[at]?.colour }} d={path} />
            ))}
          </svg>
        </div>
        <div class="plot-times" aria-hidden="true">
          {days.marks.map(
            ({ at, time }) =>
              isInside(at) && (
                <span key={time} style={{ left: `${(at / slices) * 100}%` }}>
                  {formatTick(time, days.distanceSeconds)}
                </span>
              ),
          )}
        </div>
      </div>
      <figcaption>
        <div class="overview-caption">
          <p class="overview-stretch">{said || caption}</p>
          {zoom !== undefined && selection?.isHeld ? (
            // A press must not take the focus from the plot: its selection would be gone.
            <Button
              kind="small"
              onPointerDown={(event) => event.preventDefault()}
              onPress={() => choose(selection.from, selection.to)}
            >
              {zoom}
            </Button>
          ) : (
            beside
          )}
        </div>
        {children}
      </figcaption>
    </figure>
  );
}

/** Pixels. A hand is never quite still. */
const STILL = 5;

export function useSelection(slices: number, onChoose?: (from: number, to: number) => void) {
  /** Two ends, of which keys move the other one. `isHeld`: it stays when the pointer leaves. */
  const [held, hold] = useState<{ readonly one: number; readonly other: number; readonly isHeld: boolean }>();
  const drag = useRef<{ readonly x: number; readonly isTouch: boolean; isWide: boolean } | undefined>(undefined);
  const clear = (): void => {
    drag.current = undefined;
    hold(undefined);
  };
  const choose = (one: number, other: number): void => {
    clear();
    onChoose?.(Math.min(one, other), Math.max(one, other));
  };
  const within = (at: number): number => Math.min(Math.max(at, 0), slices - 1);
  const sliceAt = ({ currentTarget, clientX }: TargetedPointerEvent<HTMLElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return within(Math.floor(((clientX - left) / width) * slices));
  };
  const handlers = {
    onPointerDown(event: TargetedPointerEvent<HTMLElement>): void {
      if (event.button !== 0 || slices === 0) return;
      const at = sliceAt(event);
      drag.current = { x: event.clientX, isTouch: event.pointerType !== 'mouse', isWide: false };
      event.currentTarget.setPointerCapture(event.pointerId);
      hold({ one: at, other: at, isHeld: true });
    },
    onPointerMove(event: TargetedPointerEvent<HTMLElement>): unknown {
      const at = sliceAt(event);
      const dragged = drag.current;
      if (slices === 0 || (!dragged && (event.pointerType !== 'mouse' || held?.isHeld))) return;
      if (!dragged) return hold({ one: at, other: at, isHeld: false });
      dragged.isWide ||= Math.abs(event.clientX - dragged.x) > STILL;
      return dragged.isWide && hold((was) => ({ one: was?.one ?? at, other: at, isHeld: true }));
    },
    /** A drag closes in on what it passed over, and a click on its bar. A tap only points: its bar is small. */
    onPointerUp(event: TargetedPointerEvent<HTMLElement>): void {
      const dragged = drag.current;
      drag.current = undefined;
      if (dragged && held && (dragged.isWide || !dragged.isTouch)) choose(held.one, sliceAt(event));
    },
    onPointerLeave: (): void => hold((was) => (was?.isHeld ? was : undefined)),
    onPointerCancel: clear,
    onKeyDown(event: TargetedKeyboardEvent<HTMLElement>): unknown {
      const act = KEYS[event.key];
      if (!act || slices === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      if (act === 'clear') return clear();
      if (act === 'choose') return held && choose(held.one, held.other);
      const other = within(act(held?.other ?? slices - 1, slices));
      return hold({ one: event.shiftKey && held ? held.one : other, other, isHeld: true });
    },
    /** The buttons about the selection stand in the same figure. */
    onBlur({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLElement>): void {
      const isInFigure = relatedTarget instanceof Node && currentTarget.closest('figure')?.contains(relatedTarget);
      if (!isInFigure) clear();
    },
  };
  const selection = held && {
    from: Math.min(held.one, held.other),
    to: Math.max(held.one, held.other),
    isHeld: held.isHeld,
  };
  return { selection, choose, handlers };
}

const PAGE = 10;

const KEYS: Readonly<Record<string, ((at: number, slices: number) => number) | 'choose' | 'clear' | undefined>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowDown: (at) => at - 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - PAGE,
  PageUp: (at) => at + PAGE,
  Home: () => 0,
  End: (_, slices) => slices - 1,
  Enter: 'choose',
  ' ': 'choose',
  Escape: 'clear',
};
