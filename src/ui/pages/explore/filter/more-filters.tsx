/** The filters that are wanted less often: the order, what there is of an event, names, numbers, time of day (interface 4.1). */
import { useId, useState } from 'preact/hooks';
import { Combobox } from '../../shared/combobox/combobox.tsx';
import { textsOf } from '../../shared/forms/fields.ts';
import { SelectField } from '../../shared/forms/form-fields.tsx';
import { Labelled } from '../../shared/forms/labelled.tsx';
import { Icon } from '../../shared/icon.tsx';
import { Menu } from '../../shared/menu.tsx';
import { suggested } from '../../shared/names.ts';
import { spaced } from '../../shared/spaced.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import { type EventFilter, type MoreFilter, moreCount, withMore } from './event-filter.ts';
import { TimeOfDay } from './time-of-day.tsx';
import { useDraft } from './use-draft.ts';

interface MoreFiltersProps {
  readonly filter: EventFilter;
  readonly onChange: (filter: EventFilter) => void;
}

// biome-ignore format: a table
const SORTS = [
  ['',           'newest'],
  ['date_asc',   'oldest'],
  ['score_desc', 'bestScore'],
  ['speed_desc', 'fastest'],
] as const;

// biome-ignore format: a table
const ONLY = [
  ['has_clip',     'clip'],
  ['has_snapshot', 'snapshot'],
  ['in_progress',  'running'],
  ['favorites',    'kept'],
  ['is_submitted', 'submitted'],
] as const;

// biome-ignore format: a table
const NAMES = [
  ['zones',                    'zones',     'api/zones'],
  ['sub_labels',               'subLabels', 'api/sub_labels?split_joined=1'],
  ['recognized_license_plate', 'plate',     'api/recognized_license_plates?split_joined=1'],
] as const;

// biome-ignore format: a table
const RANGES = [
  { Field: DraftPercent, from: ['min_score',  'leastScore'],  to: ['max_score',  'mostScore']  },
  { Field: DraftNumber,  from: ['min_length', 'leastLength'], to: ['max_length', 'mostLength'] },
  { Field: DraftNumber,  from: ['min_speed',  'leastSpeed'],  to: ['max_speed',  'mostSpeed']  },
] as const;

export function MoreFiltersMenu({ filter, onChange }: MoreFiltersProps) {
  const textOf = (name: MoreFilter): string => filter.more[name] ?? '';
  const set = (name: MoreFilter, text: string): void =>
    onChange({ ...filter, more: withMore(filter.more, name, text.trim()) });
  /** What every field needs to show and to set a filter. */
  const field = (name: MoreFilter) => ({ value: textOf(name), onChange: (text: string) => set(name, text) });
  const [isWanted, setIsWanted] = useState(false);
  return (
    <Menu
      onOpen={() => setIsWanted(true)}
      class={`filter filter-more-menu${moreCount(filter.more) > 0 ? ' is-set' : ''}`}
      align="start"
      label={<Said count={moreCount(filter.more)} />}
    >
      <div class="more-filters">
        <SelectField
          label={words.explore.filters.order}
          options={SORTS.map(([sort, word]) => [sort, words.explore.filters[word]] as const)}
          {...field('sort')}
        />
        <fieldset class="names">
          <legend class="choice-legend">{words.explore.filters.onlyWith}</legend>
          {ONLY.map(([name, word]) => (
            <label key={name} class="name-option">
              <input
                type="checkbox"
                checked={textOf(name) === '1'}
                onChange={(event) => set(name, event.currentTarget.checked ? '1' : '')}
              />
              {words.explore.filters[word]}
            </label>
          ))}
        </fieldset>
        {NAMES.map(([name, word, path]) => (
          <Names key={name} label={words.explore.filters[word]} path={isWanted ? path : undefined} {...field(name)} />
        ))}
        {RANGES.map(({ Field, from: [least, leastWord], to: [most, mostWord] }) => (
          <div key={least} class="form-row">
            <Field label={words.explore.filters[leastWord]} {...field(least)} />
            <Field label={words.explore.filters[mostWord]} {...field(most)} />
          </div>
        ))}
        <TimeOfDay range={textOf('time_range')} onChange={(range) => set('time_range', range)} />
      </div>
    </Menu>
  );
}

interface NamesProps {
  readonly label: string;
  /** The names to choose from; undefined until the field is used. */
  readonly path: string | undefined;
  /** Joined by commas. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** What is not suggested can be typed: a pattern for plates, or a name of long ago. */
function Names({ label, path, value, onChange }: NamesProps) {
  const [fetched] = useFetched(path, textsOf);
  const all = fetched.kind === 'ready' ? suggested(fetched.value, spaced) : [];
  const chosen = value.split(',').filter(Boolean);
  return <Combobox {...{ label, all, chosen }} onChange={(names) => onChange(names.join(','))} takesOwn />;
}

const Said = ({ count }: { count: number }) => (
  <>
    <span class="filter-choice">{words.explore.filters.more}</span>
    {count > 0 && <span class="filter-more">{count}</span>}
    <Icon name="chevron" />
  </>
);

/** Filter fields: the text is applied when the field loses the focus, or at Enter, not for every letter. */
interface DraftProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function DraftNumber({ label, value, onChange }: DraftProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label }}>
      <input id={id} type="number" min="0" step="any" {...useDraft(value, onChange)} />
    </Labelled>
  );
}

/** The API has scores from 0 to 1, the page percentages. */
function DraftPercent({ label, value, onChange }: DraftProps) {
  const percent = Math.round(Number(value) * 100);
  return (
    <DraftNumber
      label={label}
      value={value === '' || Number.isNaN(percent) ? '' : String(percent)}
      onChange={(text) => onChange(text === '' ? '' : String(Number(text) / 100))}
    />
  );
}
