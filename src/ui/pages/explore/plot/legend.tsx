/** What the colours of a plot stand for, with the counts of what is pointed at: the places are as wide as the totals need. */
import { useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';

export interface LegendEntry {
  /** Undefined: the others, which cannot be chosen as one. */
  readonly name: string | undefined;
  readonly said: string;
  readonly colour: string;
  readonly total: string;
  /** The count at what is pointed at; undefined while nothing is. */
  readonly count: string | undefined;
}

interface LegendProps {
  readonly entries: readonly LegendEntry[];
  /** So many places are kept before the entries are there, and when a filter leaves fewer. */
  readonly places: number;
  /** The text of the button behind which the legend is folded on a small screen. */
  readonly folded: string;
  readonly chosen: string | undefined;
  readonly helpOf: (name: string) => string;
  readonly onChoose: (name: string) => void;
}

export function Legend({ entries, places, folded, chosen, helpOf, onChoose }: LegendProps) {
  const [isOpen, setIsOpen] = useState(false);
  const empty = Array.from({ length: Math.max(0, places - entries.length) }, (_, at) => at);
  return (
    <div class={isOpen ? 'legend-place is-open' : 'legend-place'}>
      <button
        class="button button-plain legend-fold"
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {entries.map(({ name, colour }) => (
          <Colour key={name ?? ''} colour={colour} />
        ))}
        {folded}
        <Icon name="chevron" />
      </button>
      <ul class="legend">
        {entries.map((entry) => (
          <li key={entry.name ?? ''}>
            {entry.name === undefined ? (
              <span class="legend-camera">
                <Inside entry={entry} />
              </span>
            ) : (
              <button
                class="legend-camera"
                type="button"
                aria-pressed={entry.name === chosen}
                title={helpOf(entry.name)}
                onClick={() => onChoose(entry.name ?? '')}
              >
                <Inside entry={entry} />
              </button>
            )}
          </li>
        ))}
        {empty.map((at) => (
          <li key={at} class="legend-empty" aria-hidden="true" />
        ))}
      </ul>
    </div>
  );
}

const Inside = ({ entry: { said, colour, total, count } }: { entry: LegendEntry }) => (
  <>
    <Colour colour={colour} />
    <bdi class="legend-name">{said}</bdi>
    <span class="legend-count" style={{ minWidth: `${total.length}ch` }}>
      {count ?? total}
    </span>
  </>
);

const Colour = ({ colour }: { colour: string }) => (
  <svg class={`legend-colour ${colour}`} viewBox="0 0 10 10" aria-hidden="true">
    <rect width="10" height="10" rx="2.5" />
  </svg>
);
