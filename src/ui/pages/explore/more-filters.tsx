/** The filters that are wanted less often: names, numbers, time of day, what there is of it, and the order (interface 4.1). */
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Icon } from '../shared/icon.tsx';
import { Menu } from '../shared/menu.tsx';
import { words } from '../shared/words.ts';
import { type EventFilter, type MoreFilter, moreCount, withMore } from './event-filter.ts';

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
] as const;

export function MoreFiltersMenu({ filter, onChange }: MoreFiltersProps) {
  const count = moreCount(filter.more);
  const textOf = (name: MoreFilter): string => filter.more[name] ?? '';
  const set = (name: MoreFilter, text: string): void =>
    onChange({ ...filter, more: withMore(filter.more, name, text.trim()) });
  const text = (name: MoreFilter, label: string, help?: string) => (
    <Field label={label} help={help} value={textOf(name)} onChange={(value) => set(name, value)} />
  );
  return (
    <Menu
      class={count > 0 ? 'filter filter-more-menu is-set' : 'filter filter-more-menu'}
      align="start"
      label={
        <>
          <span class="filter-choice">{words.filters.more}</span>
          {count > 0 && <span class="filter-more">{count}</span>}
          <Icon name="chevron" />
        </>
      }
    >
      <div class="more-filters">
        <Order sort={textOf('sort')} onChange={(sort) => set('sort', sort)} />
        <fieldset class="names">
          <legend class="choice-legend">{words.filters.onlyWith}</legend>
          {ONLY.map(([name, word]) => (
            <label key={name} class="name-option">
              <input
                type="checkbox"
                checked={textOf(name) === '1'}
                onChange={(event) => set(name, event.currentTarget.checked ? '1' : '')}
              />
              {words.filters[word]}
            </label>
          ))}
        </fieldset>
        {text('zones', words.filters.zones, words.filters.severalByComma)}
        {text('sub_labels', words.filters.subLabels, words.filters.severalByComma)}
        {text('recognized_license_plate', words.filters.plate, words.filters.severalByComma)}
        <Percent value={textOf('min_score')} onChange={(value) => set('min_score', value)} />
        <div class="form-row">
          <NumberField
            label={`${words.filters.leastLength} (${words.filters.seconds})`}
            value={textOf('min_length')}
            onChange={(value) => set('min_length', value)}
          />
          <NumberField
            label={`${words.filters.mostLength} (${words.filters.seconds})`}
            value={textOf('max_length')}
            onChange={(value) => set('max_length', value)}
          />
        </div>
        <TimeOfDay range={textOf('time_range')} onChange={(range) => set('time_range', range)} />
      </div>
    </Menu>
  );
}

interface FieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly value: string;
  /** Called when the field is left, or Enter is pressed: not a question for every letter. */
  readonly onChange: (value: string) => void;
}

const Labelled = ({
  id,
  label,
  help,
  children,
}: {
  id: string;
  label: string;
  help?: string | undefined;
  children: ComponentChildren;
}) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    {help !== undefined && (
      <p id={`${id}-help`} class="field-help">
        {help}
      </p>
    )}
  </div>
);

function Field({ label, help, value, onChange }: FieldProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label, help }}>
      <input id={id} type="text" autocomplete="off" {...useDraft(value, onChange)} />
    </Labelled>
  );
}

function NumberField({ label, value, onChange }: FieldProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label }}>
      <input id={id} type="number" min="0" step="any" {...useDraft(value, onChange)} />
    </Labelled>
  );
}

/** What is being typed outlives the answer to an earlier filter, which shows the page anew. */
function useDraft(value: string, onChange: (value: string) => void) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  return {
    value: draft,
    onInput: (event: TargetedEvent<HTMLInputElement>) => setDraft(event.currentTarget.value),
    onChange: (event: TargetedEvent<HTMLInputElement>) => onChange(event.currentTarget.value),
  };
}

/** A score is 0 to 1 to the API, and a percentage to people. */
function Percent({ value, onChange }: Pick<FieldProps, 'value' | 'onChange'>) {
  const shown = value === '' ? '' : String(Math.round(Number(value) * 100));
  return (
    <NumberField
      label={`${words.filters.leastScore} (${words.filters.percent})`}
      value={shown}
      onChange={(text) => onChange(text === '' ? '' : String(Number(text) / 100))}
    />
  );
}

function Order({ sort, onChange }: { sort: string; onChange: (sort: string) => void }) {
  const id = useId();
  return (
    <Labelled id={id} label={words.filters.order}>
      <select id={id} value={sort} onChange={(event) => onChange(event.currentTarget.value)}>
        {SORTS.map(([value, word]) => (
          <option key={value} value={value} selected={value === sort}>
            {words.filters[word]}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

const WHOLE_DAY = ['00:00', '24:00'] as const;

/** `08:00,18:00`; an end that is not given is the day's own. */
function TimeOfDay({ range, onChange }: { range: string; onChange: (range: string) => void }) {
  const id = useId();
  const [from = '', until = ''] = range.split(',');
  const change = (start: string, end: string): void =>
    onChange(start === '' && end === '' ? '' : `${start || WHOLE_DAY[0]},${end || WHOLE_DAY[1]}`);
  return (
    <fieldset class="names">
      <legend class="choice-legend">{words.filters.timeOfDay}</legend>
      <div class="form-row">
        <Labelled id={`${id}-from`} label={words.filters.from}>
          <input
            id={`${id}-from`}
            type="time"
            value={from === WHOLE_DAY[0] ? '' : from}
            onChange={(event) => change(event.currentTarget.value, until)}
          />
        </Labelled>
        <Labelled id={`${id}-to`} label={words.filters.to}>
          <input
            id={`${id}-to`}
            type="time"
            value={until === WHOLE_DAY[1] ? '' : until}
            onChange={(event) => change(from, event.currentTarget.value)}
          />
        </Labelled>
      </div>
    </fieldset>
  );
}
