/** The filters: words, cameras, labels, time, and the menu of the less used ones (interface 4.1). */
import type { ComponentChildren, ComponentProps, TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useFetched, valueOr } from '../shared/api.ts';
import { Combobox } from '../shared/combobox.tsx';
import { Field, type FieldProps, SelectField } from '../shared/fields.tsx';
import { closeMenu, Menu } from '../shared/menu.tsx';
import { Button, Icon } from '../shared/parts.tsx';
import { fromLocalInput, spaced, toLocalInput } from '../shared/spelling.ts';
import { readTexts } from '../shared/untrusted.ts';
import { cameraName, DAY_SECONDS, formatDay, formatShortMoment, labelName, suggested, words } from '../shared/words.ts';
import {
  ANY_TIME,
  type EventFilter,
  isDay,
  isFiltered,
  LAST_DAYS,
  LISTED,
  type MoreFilter,
  moreCount,
  NO_FILTER,
  namesIn,
  ONLY,
  RANGES,
  timeIn,
  withValues,
} from './event-filter.ts';

type FilterProps = { filter: EventFilter; onChange: (filter: EventFilter) => void };
type FilterBarProps = FilterProps & { cameras: readonly string[]; labels: readonly string[] };

export function FilterBar({ filter, cameras, labels, onChange }: FilterBarProps) {
  const text = words.explore.filters;
  const more = moreCount(filter);
  const [isWanted, setIsWanted] = useState(false);
  const names = [
    ['camera', text.camera, words.ui.common.cameras, suggested(cameras, cameraName)],
    ['label', text.label, text.labels, suggested(labels, labelName)],
  ] as const;
  return (
    <search class="row filters" aria-label={text.filters}>
      <TextSearch {...{ filter, onChange }} />
      {names.map(([name, what, said, all]) => (
        <NamesMenu
          key={name}
          {...{ what, said, all }}
          chosen={namesIn(filter, name)}
          onChange={(chosen) => onChange(withValues(filter, { [name]: chosen }))}
        />
      ))}
      <FilterMenu
        what={text.time}
        said={formatRange(filter)}
        isSet={TIMES.some((end) => timeIn(filter, end) !== undefined)}
      >
        <TimeChoice {...{ filter, onChange }} />
      </FilterMenu>
      <FilterMenu
        class="filter-more-menu"
        said={text.more}
        count={more > 0 && more}
        isSet={more > 0}
        onOpen={() => setIsWanted(true)}
      >
        <MoreFilters {...{ filter, isWanted, onChange }} />
      </FilterMenu>
      {isFiltered(filter) && (
        <Button kind="plain" onPress={() => onChange(NO_FILTER)}>
          <Icon name="close" />
          <span class="button-text">{text.clear}</span>
        </Button>
      )}
    </search>
  );
}

interface FilterMenuProps extends Pick<ComponentProps<typeof Menu>, 'onOpen'> {
  readonly class?: string;
  readonly what?: string;
  readonly said: string;
  readonly count?: ComponentChildren;
  readonly isSet: boolean;
  readonly children: ComponentChildren;
}

const FilterMenu = ({ class: name = '', what, said, count, isSet, children, ...menu }: FilterMenuProps) => (
  <Menu
    {...menu}
    class={`filter ${name}${isSet ? ' is-set' : ''}`}
    align="start"
    label={
      <>
        {what !== undefined && <span class="out-of-sight">{what}: </span>}
        <bdi class="one-line">{said}</bdi>
        {count && <span class="filter-more">{count}</span>}
      </>
    }
  >
    {children}
  </Menu>
);

type NamesMenuProps = Omit<ComponentProps<typeof Combobox>, 'label'> & { what: string; said: string };

function NamesMenu({ what, all, said: everything, chosen, onChange }: NamesMenuProps) {
  const [first, ...more] = chosen;
  const said = all.find(([value]) => value === first)?.[1] ?? first ?? everything;
  return (
    <FilterMenu {...{ what, said }} count={more.length > 0 && `+${more.length}`} isSet={chosen.length > 0}>
      {all.length === 0 ? (
        <p class="menu-note">{words.explore.filters.noneKnown}</p>
      ) : (
        <Combobox label={what} {...{ all, chosen, onChange }} isOpen />
      )}
    </FilterMenu>
  );
}

function TextSearch({ filter, onChange }: FilterProps) {
  const field = useSettled(filter.get('text') ?? '', (text) => onChange(withValues(filter, { text: text.trim() })));
  const { text } = words.explore.filters;
  return <input class="text-search" type="search" aria-label={text} placeholder={text} maxLength={200} {...field} />;
}

// biome-ignore format: a table
const STRETCHES = [
  ...LAST_DAYS,
  ['lastHour',    () => ago(3600)],
  ['last24Hours', () => ago(DAY_SECONDS)],
  ['last7Days',   () => undefined],
  ['last30Days',  () => ago(30 * DAY_SECONDS)],
  ['anyTime',     () => ANY_TIME],
] as const;

const TIMES = ['after', 'before'] as const;

const ago = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;

/** A few usual stretches, or from one moment to another. */
const TimeChoice = ({ filter, onChange }: FilterProps) => (
  <>
    <div class="stretches" onClickCapture={closeMenu}>
      {STRETCHES.map(([name, after, before]) => (
        <Button
          kind="plain"
          key={name}
          onPress={() => onChange(withValues(filter, { after: after(), before: before?.() }))}
        >
          {words.explore.filters[name]}
        </Button>
      ))}
    </div>
    <div class="moment">
      {TIMES.map((end) => (
        <SettledField
          key={end}
          type="datetime-local"
          label={words.explore.filters[end === 'after' ? 'from' : 'to']}
          value={toLocalInput(timeIn(filter, end) || undefined)}
          onChange={(text) => onChange(withValues(filter, { [end]: fromLocalInput(text) }))}
        />
      ))}
    </div>
  </>
);

function formatRange(filter: EventFilter): string {
  const text = words.explore.filters;
  const [from, before] = TIMES.map((end) => timeIn(filter, end));
  if (from === undefined && before === undefined) return text.last7Days;
  const after = from === ANY_TIME ? undefined : from;
  if (after !== undefined && isDay(after, before)) return formatDay(after, Date.now() / 1000);
  if (after !== undefined && before !== undefined) return `${formatShortMoment(after)} – ${formatShortMoment(before)}`;
  if (after !== undefined) return text.since({ moment: formatShortMoment(after) });
  return before === undefined ? text.anyTime : text.until({ moment: formatShortMoment(before) });
}

// biome-ignore format: a table
const SORTS = [
  ['',           'newest'],
  ['date_asc',   'oldest'],
  ['score_desc', 'bestScore'],
  ['speed_desc', 'fastest'],
] as const;

/** `isWanted`: the names to choose from are asked for once the menu was opened. */
function MoreFilters({ filter, isWanted, onChange }: FilterProps & { isWanted: boolean }) {
  const text = words.explore.filters;
  /** What every field needs to show and to set a filter. */
  const field = (name: MoreFilter) => ({
    value: filter.get(name) ?? '',
    onChange: (value: string) => onChange(withValues(filter, { [name]: value.trim() })),
  });
  return (
    <div class="more-filters">
      <SelectField label={text.order} options={SORTS.map(([sort, word]) => [sort, text[word]])} {...field('sort')} />
      <fieldset class="names">
        <legend class="choice-legend">{text.onlyWith}</legend>
        {ONLY.map(([name, word]) => (
          <label key={name} class="name-option">
            <input
              type="checkbox"
              checked={field(name).value === '1'}
              onChange={({ currentTarget }) => field(name).onChange(currentTarget.checked ? '1' : '')}
            />
            {text[word]}
          </label>
        ))}
      </fieldset>
      {LISTED.map(([name, word, path]) => (
        <Names key={name} label={text[word]} path={isWanted ? path : undefined} {...field(name)} />
      ))}
      {RANGES.map(({ isPercent, from: [least, leastWord], to: [most, mostWord] }) => (
        <div key={least} class="form-row">
          <NumberField label={text[leastWord]} {...{ isPercent }} {...field(least)} />
          <NumberField label={text[mostWord]} {...{ isPercent }} {...field(most)} />
        </div>
      ))}
      <TimeOfDay label={text.timeOfDay} {...field('time_range')} />
    </div>
  );
}

/** Names joined by commas. What is not suggested can be typed: a pattern for plates, or a name of long ago. */
function Names({ label, path, value, onChange }: FieldProps & { readonly path: string | undefined }) {
  const all = suggested(valueOr(useFetched(path, readTexts)[0], []), spaced);
  const chosen = value.split(',').filter(Boolean);
  return <Combobox {...{ label, all, chosen }} onChange={(names) => onChange(names.join(','))} takesOwn />;
}

/** The API has scores from 0 to 1, the page percentages. */
function NumberField({ value, onChange, isPercent, ...field }: FieldProps & { isPercent: boolean }) {
  const percent = Math.round(Number(value) * 100);
  const shown = !isPercent || value === '' ? value : Number.isNaN(percent) ? '' : String(percent);
  const change = (text: string): void => onChange(isPercent && text !== '' ? String(Number(text) / 100) : text);
  return <SettledField {...field} type="number" value={shown} onChange={change} />;
}

const WHOLE_DAY = ['00:00', '24:00'] as const;

/** `08:00,18:00`, whatever the day; empty for the whole day. An end that is not given is the day's own (interface 4.1). */
function TimeOfDay({ label, value, onChange }: FieldProps) {
  const ends = value.split(',');
  const change = (at: number, end: string): void => {
    const changed = WHOLE_DAY.map((whole, place) => (place === at ? end : ends[place]) || whole);
    onChange(changed.every((one, place) => one === WHOLE_DAY[place]) ? '' : changed.join(','));
  };
  return (
    <fieldset class="names">
      <legend class="choice-legend">{label}</legend>
      <div class="form-row">
        {WHOLE_DAY.map((whole, at) => (
          <SettledField
            key={whole}
            type="time"
            label={words.explore.filters[at === 0 ? 'from' : 'to']}
            value={ends[at] === whole ? '' : (ends[at] ?? '')}
            onChange={(end) => change(at, end)}
          />
        ))}
      </div>
    </fieldset>
  );
}

type SettledFieldProps = FieldProps & { type: 'datetime-local' | 'number' | 'time' };

function SettledField({ label, value, onChange, type }: SettledFieldProps) {
  const field = useSettled(value, onChange);
  const bounds = type === 'number' && { min: 0, step: 'any' };
  return <Field label={label} control={(tied) => <input {...tied} {...{ type }} {...bounds} {...field} />} />;
}

const PATIENCE_MILLISECONDS = 600;

/** Applied after a pause: a date is typed part by part, and in between the year is 2, or 20. */
function useSettled(value: string, onChange: (value: string) => void) {
  const [draft, setDraft] = useState(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => setDraft(value), [value]);
  useEffect(() => {
    if (draft === value) return undefined;
    const timer = setTimeout(() => latest.current(draft), PATIENCE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [draft]);
  const onInput = ({ currentTarget }: TargetedEvent<HTMLInputElement>): void => setDraft(currentTarget.value);
  return { value: draft, onInput };
}
