/** The time filter: a few usual stretches, or from one moment to another. */
import { Icon } from '../../shared/icon.tsx';
import { Menu } from '../../shared/menu.tsx';
import { formatShortMoment } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import { ANY_TIME, type EventFilter } from './event-filter.ts';
import { fromLocalInput, toLocalInput } from './local-input.ts';
import { useSettled } from './use-draft.ts';

interface TimeChoiceProps {
  readonly filter: EventFilter;
  readonly onChange: (filter: EventFilter) => void;
}

// biome-ignore format: a table
const STRETCHES = [
  ['lastHour',    () => ago(3600)],
  ['last24Hours', () => ago(86_400)],
  ['last7Days',   () => undefined],
  ['last30Days',  () => ago(30 * 86_400)],
  ['anyTime',     () => ANY_TIME],
] as const;

const ago = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;

export function TimeChoice({ filter, onChange }: TimeChoiceProps) {
  const isSet = filter.after !== undefined || filter.before !== undefined;
  return (
    <Menu class={isSet ? 'filter is-set' : 'filter'} align="start" label={<Said filter={filter} />}>
      <div class="stretches">
        {STRETCHES.map(([name, after]) => (
          <button
            key={name}
            class="button button-plain"
            type="button"
            onClick={() => onChange({ ...filter, after: after(), before: undefined })}
          >
            {words.explore.filters[name]}
          </button>
        ))}
      </div>
      <Moment
        name={words.explore.filters.from}
        time={filter.after === ANY_TIME ? undefined : filter.after}
        onChange={(after) => onChange({ ...filter, after })}
      />
      <Moment
        name={words.explore.filters.to}
        time={filter.before}
        onChange={(before) => onChange({ ...filter, before })}
      />
    </Menu>
  );
}

interface MomentProps {
  readonly name: string;
  readonly time: number | undefined;
  readonly onChange: (time: number | undefined) => void;
}

function Moment({ name, time, onChange }: MomentProps) {
  const field = useSettled(toLocalInput(time), (text) => onChange(fromLocalInput(text)));
  return (
    <label class="moment">
      <span>{name}</span>
      <input type="datetime-local" {...field} />
    </label>
  );
}

function Said({ filter: { after, before } }: { filter: EventFilter }) {
  return (
    <>
      <span class="out-of-sight">{words.explore.filters.time}: </span>
      <span class="filter-choice">{formatRange(after, before)}</span>
      <Icon name="chevron" />
    </>
  );
}

function formatRange(from: number | undefined, before: number | undefined): string {
  if (from === undefined && before === undefined) return words.explore.filters.last7Days;
  const after = from === ANY_TIME ? undefined : from;
  if (after !== undefined && before !== undefined) return `${formatShortMoment(after)} – ${formatShortMoment(before)}`;
  if (after !== undefined) return words.explore.filters.since({ moment: formatShortMoment(after) });
  return before === undefined
    ? words.explore.filters.anyTime
    : words.explore.filters.until({ moment: formatShortMoment(before) });
}
