/** Minutes watched by day, stacked by person: choose a person to see what that person saw (SPEC 14). */
import { useMemo } from 'preact/hooks';
import { sumsOf } from '../explore/plot/bars.ts';
import { COLOURS, OTHERS } from '../explore/plot/colours.ts';
import { Legend } from '../explore/plot/legend.tsx';
import { StackPlot } from '../explore/plot/stack-plot.tsx';
import { useSelection } from '../explore/plot/use-selection.ts';
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

export function WatchedPlot({ days, first, count, user, onUser }: WatchedPlotProps) {
  const { starts, stepSeconds, people } = useMemo(() => bucketDays(days, first, count), [days, first, count]);
  const series = useMemo(
    () =>
      people.map(({ name, counts }, place) => ({
        name,
        counts,
        colour: place < COLOURS ? `camera-${place + 1}` : OTHERS,
      })),
    [people],
  );
  const selecting = useSelection(starts.length, undefined);
  const at = selecting.selection?.to;
  const start = at === undefined ? undefined : starts[at];
  const minutesOf = (counts: readonly number[]): string =>
    words.ledger.minutes({ minutes: Math.round(counts[at ?? 0] ?? 0) });
  const sums = useMemo(
    () =>
      sumsOf(
        series.map(({ counts }) => counts),
        starts.length,
      ),
    [series],
  );
  const said = start === undefined ? '' : `${formatDate(start)}: ${minutesOf(sums)}`;
  return (
    <figure class="overview">
      <StackPlot label={words.ledger.plot} {...{ starts, stepSeconds, series, selecting, said }} />
      <figcaption>
        <div class="overview-caption">
          <p class="overview-stretch">{said || words.ledger.perDay}</p>
        </div>
        <Legend
          entries={people.map(({ name, total, counts }, place) => ({
            name,
            said: name === '' ? '–' : name,
            colour: series[place]?.colour ?? OTHERS,
            total: words.ledger.minutes({ minutes: total }),
            count: at === undefined ? undefined : minutesOf(counts),
          }))}
          places={people.length}
          folded={words.ledger.people({ number: people.length })}
          chosen={user}
          helpOf={(user) => words.ledger.whatSaw({ user })}
          onChoose={onUser}
        />
      </figcaption>
    </figure>
  );
}
