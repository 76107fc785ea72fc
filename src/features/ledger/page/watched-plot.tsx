/** Minutes watched by day, stacked by person: choose a person to see what that person saw (SPEC 14). */
import { useMemo, useState } from 'preact/hooks';
import { colourAt, sumSlices } from '../../../ui/pages/shared/events/bars.ts';
import { Plot, useSelection } from '../../../ui/pages/shared/events/stack-plot.tsx';
import { Icon } from '../../../ui/pages/shared/parts.tsx';
import { formatDate, words } from '../../../ui/pages/shared/words.ts';
import { bucketDays, type Span, type WatchedDay } from './activity-records.ts';

type WatchedPlotProps = {
  days: readonly WatchedDay[];
  span: Span;
  user: string;
  shown: (viewer: string) => string;
  onUser: (user: string) => void;
};

export function WatchedPlot({ days, span: { first, days: count }, user, shown, onUser }: WatchedPlotProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { starts, series, sums } = useMemo(() => {
    const { starts, people } = bucketDays(days, first, count);
    const series = people.map((person, place) => ({ ...person, colour: colourAt(place) }));
    return {
      starts,
      series,
      sums: sumSlices(
        people.map(({ counts }) => counts),
        count,
      ),
    };
  }, [days, first, count]);
  const selecting = useSelection(starts.length);
  const at = selecting.selection?.to;
  const start = starts[at ?? -1];
  const minutesOf = (minutes: number | undefined): string =>
    words.ledger.minutes({ minutes: Math.round(minutes ?? 0) });
  const said = start === undefined ? '' : `${formatDate(start)}: ${minutesOf(sums[at ?? 0])}`;
  return (
    <Plot label={words.ledger.plot} {...{ starts, series, selecting, said }} caption={words.ledger.perDay}>
      <div class={isOpen ? 'legend-place is-open' : 'legend-place'}>
        <button
          class="button button-plain legend-fold"
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {series.map(({ name, colour }) => (
            <Colour key={name} colour={colour} />
          ))}
          {words.ledger.people({ number: series.length })}
          <Icon name="chevron" />
        </button>
        <ul class="row legend">
          {series.map(({ name, colour, total, counts }) => (
            <li key={name}>
              <button
                class="legend-camera"
                type="button"
                aria-pressed={name === user}
                title={words.ledger.whatSaw({ user: shown(name) })}
                onClick={() => onUser(name)}
              >
                <Colour colour={colour} />
                <bdi class="one-line legend-name">{name === '' ? '–' : shown(name)}</bdi>
                {/* As wide as the total needs. */}
                <span class="legend-count" style={{ minWidth: `${minutesOf(total).length}ch` }}>
                  {minutesOf(at === undefined ? total : counts[at])}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Plot>
  );
}

const Colour = ({ colour }: { colour: string }) => (
  <svg class="legend-colour" style={{ fill: colour }} viewBox="0 0 10 10" aria-hidden="true">
    <rect width="10" height="10" rx="2.5" />
  </svg>
);
