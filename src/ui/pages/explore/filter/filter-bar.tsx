/** The filters: cameras, labels, time. */
import { Icon } from '../../shared/icon.tsx';
import { Menu } from '../../shared/menu.tsx';
import { words } from '../../shared/words.ts';
import { type EventFilter, isFiltered } from './event-filter.ts';
import { MoreFiltersMenu } from './more-filters.tsx';
import { TimeChoice } from './time-choice.tsx';

interface FilterBarProps {
  readonly filter: EventFilter;
  readonly cameras: readonly string[];
  readonly labels: readonly string[];
  readonly onChange: (filter: EventFilter) => void;
  readonly onClear: () => void;
}

export function FilterBar({ filter, cameras, labels, onChange, onClear }: FilterBarProps) {
  return (
    <search class="filters" aria-label={words.filters.filters}>
      <NamesMenu
        what={words.filters.camera}
        all={words.common.cameras}
        names={cameras}
        chosen={filter.cameras}
        onChange={(chosen) => onChange({ ...filter, cameras: chosen })}
      />
      <NamesMenu
        what={words.filters.label}
        all={words.filters.labels}
        names={labels}
        chosen={filter.labels}
        onChange={(chosen) => onChange({ ...filter, labels: chosen })}
      />
      <TimeChoice filter={filter} onChange={onChange} />
      <MoreFiltersMenu filter={filter} onChange={onChange} />
      {isFiltered(filter) && (
        <button class="button button-plain" type="button" onClick={onClear}>
          <Icon name="close" />
          {words.filters.clear}
        </button>
      )}
    </search>
  );
}

interface NamesMenuProps {
  readonly what: string;
  readonly all: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function NamesMenu({ what, all, names, chosen, onChange }: NamesMenuProps) {
  const toggle = (name: string): void =>
    onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <Menu
      class={chosen.length > 0 ? 'filter is-set' : 'filter'}
      align="start"
      label={<Choice {...{ what, all, chosen }} />}
    >
      <fieldset class="names">
        <legend class="out-of-sight">{what}</legend>
        {names.length === 0 && <p class="menu-note">{words.filters.noneKnown}</p>}
        {names.map((name) => (
          <label key={name} class="name-option">
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
            <bdi>{name}</bdi>
          </label>
        ))}
      </fieldset>
    </Menu>
  );
}

function Choice({ what, all, chosen }: { what: string; all: string; chosen: readonly string[] }) {
  const [first, ...more] = chosen;
  return (
    <>
      <span class="out-of-sight">{what}: </span>
      <bdi class="filter-choice">{first ?? all}</bdi>
      {more.length > 0 && <span class="filter-more">+{more.length}</span>}
      <Icon name="chevron" />
    </>
  );
}
