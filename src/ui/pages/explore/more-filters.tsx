/** The filters that are wanted less often: the order, what there is of an event, names, numbers, time of day (interface 4.1). */
import type { TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Combobox } from '../shared/combobox.tsx';
import { Field, SelectField } from '../shared/fields.tsx';
import { spaced } from '../shared/spelling.ts';
import { textsOf } from '../shared/untrusted.ts';
import { useFetched, valueOr } from '../shared/use-fetched.ts';
import { suggested, words } from '../shared/words.ts';
import { type EventFilter, type MoreFilter, withMore } from './event-filter.ts';

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
  { isPercent: true,  from: ['min_score',  'leastScore'],  to: ['max_score',  'mostScore']  },
  { isPercent: false, from: ['min_length', 'leastLength'], to: ['max_length', 'mostLength'] },
  { isPercent: false, from: ['min_speed',  'leastSpeed'],  to: ['max_speed',  'mostSpeed']  },
] as const;

/** `isWanted`: the names to choose from are asked for once the menu was opened. */
type MoreFiltersProps = { filter: EventFilter; isWanted: boolean; onChange: (filter: EventFilter) => void };

export function MoreFilters({ filter, isWanted, onChange }: MoreFiltersProps) {
  const text = words.explore.filters;
  /** What every field needs to show and to set a filter. */
  const field = (name: MoreFilter) => ({
    value: filter.more[name] ?? '',
    onChange: (value: string) => onChange({ ...filter, more: withMore(filter.more, name, value.trim()) }),
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
      {NAMES.map(([name, word, path]) => (
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

type FieldProps = { label: string; value: string; onChange: (value: string) => void };

/** Names joined by commas. What is not suggested can be typed: a pattern for plates, or a name of long ago. */
function Names({ label, path, value, onChange }: FieldProps & { readonly path: string | undefined }) {
  const all = suggested(valueOr(useFetched(path, textsOf)[0], []), spaced);
  const chosen = value.split(',').filter(Boolean);
  return <Combobox {...{ label, all, chosen }} onChange={(names) => onChange(names.join(','))} takesOwn />;
}

/** The API has scores from 0 to 1, the page percentages. */
function NumberField({ label, value, onChange, isPercent }: FieldProps & { readonly isPercent: boolean }) {
  const percent = Math.round(Number(value) * 100);
  const shown = !isPercent || value === '' ? value : Number.isNaN(percent) ? '' : String(percent);
  const field = useDraft(shown, (text) => onChange(isPercent && text !== '' ? String(Number(text) / 100) : text));
  return <Field label={label} control={(tied) => <input {...tied} type="number" min="0" step="any" {...field} />} />;
}

const WHOLE_DAY = ['00:00', '24:00'] as const;

/** `08:00,18:00`, whatever the day; empty for the whole day. An end that is not given is the day's own (interface 4.1). */
function TimeOfDay({ label, value, onChange }: FieldProps) {
  const [from = '', until = ''] = value.split(',');
  const change = (start: string, end: string): void =>
    onChange(start === '' && end === '' ? '' : `${start || WHOLE_DAY[0]},${end || WHOLE_DAY[1]}`);
  const { from: begins, to: ends } = words.explore.filters;
  return (
    <fieldset class="names">
      <legend class="choice-legend">{label}</legend>
      <div class="form-row">
        <Clock label={begins} value={from === WHOLE_DAY[0] ? '' : from} onChange={(start) => change(start, until)} />
        <Clock label={ends} value={until === WHOLE_DAY[1] ? '' : until} onChange={(end) => change(from, end)} />
      </div>
    </fieldset>
  );
}

function Clock({ label, value, onChange }: FieldProps) {
  const field = useSettled(value, onChange);
  return <Field label={label} control={(tied) => <input {...tied} type="time" {...field} />} />;
}

type DraftEvent = TargetedEvent<HTMLInputElement>;

/** Applied when the field loses the focus, or at Enter. */
function useDraft(value: string, onChange: (value: string) => void) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  return {
    value: draft,
    onInput: ({ currentTarget }: DraftEvent) => setDraft(currentTarget.value),
    onChange: ({ currentTarget }: DraftEvent) => onChange(currentTarget.value),
  };
}

const PATIENCE_MILLISECONDS = 600;

/** Applied after a pause: a date is typed part by part, and in between the year is 2, or 20. */
export function useSettled(value: string, onChange: (value: string) => void) {
  const { onChange: _, ...field } = useDraft(value, onChange);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (field.value === value) return undefined;
    const timer = setTimeout(() => latest.current(field.value), PATIENCE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [field.value]);
  return field;
}
