/** The filters: words, cameras, labels, time, and the menu of the less used ones. */
import type { ComponentChildren, ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { Combobox } from '../shared/combobox.tsx';
import { Menu } from '../shared/menu.tsx';
import { Button, Icon } from '../shared/parts.tsx';
import { cameraName, formatShortMoment, labelName, suggested, words } from '../shared/words.ts';
import {
  ANY_TIME,
  type EventFilter,
  fromLocalInput,
  isFiltered,
  moreCount,
  NO_FILTER,
  toLocalInput,
  withMore,
} from './event-filter.ts';
import { MoreFilters, useSettled } from './more-filters.tsx';

type FilterProps = { filter: EventFilter; onChange: (filter: EventFilter) => void };
type FilterBarProps = FilterProps & { cameras: readonly string[]; labels: readonly string[] };

export function FilterBar({ filter, cameras, labels, onChange }: FilterBarProps) {
  const text = words.explore.filters;
  const more = moreCount(filter.more);
  const [isWanted, setIsWanted] = useState(false);
  return (
    <search class="filters" aria-label={text.filters}>
      <TextSearch {...{ filter, onChange }} />
      <NamesMenu
        what={text.camera}
        said={words.ui.common.cameras}
        all={suggested(cameras, cameraName)}
        chosen={filter.cameras}
        onChange={(chosen) => onChange({ ...filter, cameras: chosen })}
      />
      <NamesMenu
        what={text.label}
        said={text.labels}
        all={suggested(labels, labelName)}
        chosen={filter.labels}
        onChange={(chosen) => onChange({ ...filter, labels: chosen })}
      />
      <FilterMenu
        what={text.time}
        said={formatRange(filter)}
        isSet={filter.after !== undefined || filter.before !== undefined}
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
          {text.clear}
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
        <bdi class="filter-choice">{said}</bdi>
        {count && <span class="filter-more">{count}</span>}
        <Icon name="chevron" />
      </>
    }
  >
    {children}
  </Menu>
);

type NamesMenuProps = Omit<ComponentProps<typeof Combobox>, 'label'> & { what: string; said: string };

function NamesMenu({ what, all, said: everything, chosen, onChange }: NamesMenuProps) {
  const [first, ...more] = chosen;
  const said = all.find(({ value }) => value === first)?.name ?? first ?? everything;
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
  const field = useSettled(filter.more.text ?? '', (text) =>
    onChange({ ...filter, more: withMore(filter.more, 'text', text.trim()) }),
  );
  const { text } = words.explore.filters;
  return <input class="text-search" type="search" aria-label={text} placeholder={text} maxLength={200} {...field} />;
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

/** A few usual stretches, or from one moment to another. */
const TimeChoice = ({ filter, onChange }: FilterProps) => (
  <>
    <div class="stretches">
      {STRETCHES.map(([name, after]) => (
        <Button kind="plain" key={name} onPress={() => onChange({ ...filter, after: after(), before: undefined })}>
          {words.explore.filters[name]}
        </Button>
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
  </>
);

type MomentProps = { name: string; time: number | undefined; onChange: (time: number | undefined) => void };

function Moment({ name, time, onChange }: MomentProps) {
  const field = useSettled(toLocalInput(time), (text) => onChange(fromLocalInput(text)));
  return (
    <label class="moment">
      <span>{name}</span>
      <input type="datetime-local" {...field} />
    </label>
  );
}

function formatRange({ after: from, before }: EventFilter): string {
  const text = words.explore.filters;
  if (from === undefined && before === undefined) return text.last7Days;
  const after = from === ANY_TIME ? undefined : from;
  if (after !== undefined && before !== undefined) return `${formatShortMoment(after)} – ${formatShortMoment(before)}`;
  if (after !== undefined) return text.since({ moment: formatShortMoment(after) });
  return before === undefined ? text.anyTime : text.until({ moment: formatShortMoment(before) });
}
