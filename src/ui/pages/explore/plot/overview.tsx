/** Detections over time, in one colour, or stacked by camera or label: drag to look closer, choose a name to see it alone. */
import { useMemo, useRef } from 'preact/hooks';
import { Choice } from '../../shared/forms/choice.tsx';
import { cameraName, labelName } from '../../shared/names.ts';
import { formatCount, formatSpan, formatStep } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import { COLOURINGS, type Colouring, type EventFilter } from '../filter/event-filter.ts';
import { sumsOf } from './bars.ts';
import { createColours, OTHERS } from './colours.ts';
import { type Counts, NO_COUNTS } from './counts.ts';
import { Legend, type LegendEntry } from './legend.tsx';
import { type PlotSeries, StackPlot } from './stack-plot.tsx';
import { type CountsState, SERIES } from './use-counts.ts';
import { useSelection } from './use-selection.ts';

type TimeFilter = Pick<EventFilter, 'after' | 'before'>;

interface OverviewProps {
  readonly state: CountsState;
  readonly filter: EventFilter;
  /** All that the viewer may see. */
  readonly cameras: readonly string[];
  readonly labels: readonly string[];
  readonly onName: (by: Counts['by'], name: string) => void;
  readonly onColours: (colours: Colouring) => void;
  readonly onTime: (time: TimeFilter) => void;
}

/** What the counts are told apart by: how a name is shown, and its colour, kept as long as the page is there, whatever is filtered. */
const KINDS = {
  camera: { coloursOf: createColours(), said: cameraName, chosen: 'cameras' },
  label: { coloursOf: createColours(), said: labelName, chosen: 'labels' },
} as const;

export function Overview({ state, filter, onName, onColours, onTime, ...known }: OverviewProps) {
  const counts = state.kind === 'ready' ? state.counts : NO_COUNTS;
  const { starts, end, stepSeconds, others, by, names } = counts;
  const kind = KINDS[by];
  const named = names.filter(({ counts: own }) => own !== undefined);
  const rest = names.slice(named.length);
  const isColoured = filter.colours !== 'none';
  const series = useMemo(() => {
    const colours = kind.coloursOf(
      named.map(({ name }) => name),
      known[kind.chosen],
    );
    const drawn = named.map(
      ({ name, counts: own = [] }): PlotSeries => ({ name, colour: colours.get(name) ?? OTHERS, counts: own }),
    );
    const all = rest.length === 0 ? drawn : [...drawn, { name: '', colour: OTHERS, counts: others }];
    return isColoured || counts.total === 0 ? all : [together(all, starts.length)];
  }, [counts, isColoured]);
  const zoom = useZoom(filter, onTime);
  const startOf = (slice: number): number => starts[slice] ?? end;
  const selecting = useSelection(starts.length, (from, to) => zoom.into(startOf(from), startOf(to + 1)));
  const { selection } = selecting;
  const countIn = (own: readonly number[]): string | undefined =>
    selection && formatCount(own.slice(selection.from, selection.to + 1).reduce((sum, count) => sum + count, 0));
  const sums = useMemo(
    () =>
      sumsOf(
        series.map(({ counts: own }) => own),
        starts.length,
      ),
    [series],
  );
  const said = selection
    ? `${formatSpan(startOf(selection.from), startOf(selection.to + 1))}: ${words.explore.detections(sums.slice(selection.from, selection.to + 1).reduce((sum, count) => sum + count, 0))}`
    : '';
  const entries = series.map(
    ({ name, colour, counts: own }, at): LegendEntry => ({
      name: name === '' ? undefined : name,
      said: name === '' ? words.overview.others(rest.length) : kind.said(name),
      colour,
      total: formatCount(name === '' ? rest.reduce((sum, { total }) => sum + total, 0) : (named[at]?.total ?? 0)),
      count: countIn(own),
    }),
  );
  const chosen = filter[kind.chosen];
  const alone = chosen.length === 1 ? chosen[0] : undefined;
  const places = known[kind.chosen].length;
  const { onlyThis, allAgain, shown } = words.overview[by];
  return (
    <figure
      class={state.kind === 'ready' && !state.isOutdated ? 'overview' : 'overview is-outdated'}
      aria-busy={state.kind === 'loading'}
    >
      <StackPlot label={words.overview.plot} {...{ starts, stepSeconds, series, selecting, said }} />
      <figcaption>
        <div class="overview-caption">
          <p class="overview-stretch">{said || <Idle {...{ state, stepSeconds }} />}</p>
          {selection?.isHeld && (
            // A press must not take the focus from the plot: its selection would be gone.
            <button
              class="button"
              type="button"
              onPointerDown={(event) => event.preventDefault()}
              onClick={(event) => {
                focusPlot(event.currentTarget);
                selecting.choose(selection.from, selection.to);
              }}
            >
              {words.overview.zoomIn}
            </button>
          )}
          {zoom.isIn && (
            <button
              class="button"
              type="button"
              onClick={(event) => {
                focusPlot(event.currentTarget);
                zoom.out();
              }}
            >
              {words.overview.resetZoom}
            </button>
          )}
        </div>
        <Choice
          name="colours"
          legend={words.overview.colours}
          options={COLOURINGS.map((colours) => [colours, words.overview.colourings[colours]] as const)}
          chosen={filter.colours}
          onChoose={onColours}
        />
        {isColoured && (
          <Legend
            entries={entries}
            places={Math.min(places, SERIES) + (places > SERIES ? 1 : 0)}
            folded={shown(names.length)}
            chosen={alone}
            helpOf={(name) => (name === alone ? allAgain : onlyThis)}
            onChoose={(name) => onName(by, name)}
          />
        )}
      </figcaption>
    </figure>
  );
}

const together = (all: readonly PlotSeries[], slices: number): PlotSeries => {
  const rows = all.map(({ counts }) => counts);
  return { name: '', colour: 'detections', counts: sumsOf(rows, slices) };
};

function Idle({ state, stepSeconds }: { state: CountsState; stepSeconds: number }) {
  if (state.kind === 'loading') return <>{words.common.loading}</>;
  if (state.kind === 'failed') return <>{words.overview.unavailable}</>;
  if (stepSeconds === 0) return <>{words.overview.nothing}</>;
  return (
    <>
      {words.overview.per(formatStep(stepSeconds))}
      <span class="for-mouse"> · {words.overview.howByMouse}</span>
      <span class="for-touch"> · {words.overview.howByTouch}</span>
    </>
  );
}

/** The button goes away with the act: the focus must not fall to the page. */
const focusPlot = (button: HTMLElement): void =>
  button.closest('figure')?.querySelector<HTMLElement>('[role=slider]')?.focus();

/** Back leads to the time that was chosen before the first step in; a link leads to any time. */
function useZoom({ after, before }: EventFilter, onTime: (time: TimeFilter) => void) {
  const outside = useRef<TimeFilter | undefined>(undefined);
  const isIn = after !== undefined && before !== undefined;
  return {
    isIn,
    into(from: number, to: number): void {
      if (!isIn) outside.current = { after, before };
      onTime({ after: from, before: to });
    },
    out(): void {
      onTime(outside.current ?? { after: undefined, before: undefined });
      outside.current = undefined;
    },
  };
}
