/** The filters: cameras, labels, time. */
import { Combobox } from '../../shared/combobox/combobox.tsx';
import type { Suggestion } from '../../shared/combobox/suggestions.ts';
import { Icon } from '../../shared/icon.tsx';
import { Menu } from '../../shared/menu.tsx';
import { cameraName, labelName, suggested } from '../../shared/names.ts';
import { words } from '../../shared/words.ts';
import { type EventFilter, isFiltered, withMore } from './event-filter.ts';
import { MoreFiltersMenu } from './more-filters.tsx';
import { TimeChoice } from './time-choice.tsx';
import { useSettled } from './use-draft.ts';

interface FilterBarProps {
  readonly filter: EventFilter;
  readonly cameras: readonly string[];
  readonly labels: readonly string[];
  readonly onChange: (filter: EventFilter) => void;
  readonly onClear: () => void;
}

export function FilterBar({ filter, cameras, labels, onChange, onClear }: FilterBarProps) {
  return (
    <search class="filters" aria-label={words.explore.filters.filters}>
      <TextSearch {...{ filter, onChange }} />
      <NamesMenu
        what={words.explore.filters.camera}
        all={words.ui.common.cameras}
        names={suggested(cameras, cameraName)}
        chosen={filter.cameras}
        onChange={(chosen) => onChange({ ...filter, cameras: chosen })}
      />
      <NamesMenu
        what={words.explore.filters.label}
        all={words.explore.filters.labels}
        names={suggested(labels, labelName)}
        chosen={filter.labels}
        onChange={(chosen) => onChange({ ...filter, labels: chosen })}
      />
      <TimeChoice filter={filter} onChange={onChange} />
      <MoreFiltersMenu filter={filter} onChange={onChange} />
      {isFiltered(filter) && (
        <button class="button button-plain" type="button" onClick={onClear}>
          <Icon name="close" />
          {words.explore.filters.clear}
        </button>
      )}
    </search>
  );
}

interface NamesMenuProps {
  readonly what: string;
  readonly all: string;
  readonly names: readonly Suggestion[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function NamesMenu({ what, all, names, chosen, onChange }: NamesMenuProps) {
  return (
    <Menu
      class={chosen.length > 0 ? 'filter is-set' : 'filter'}
      align="start"
      label={<Choice {...{ what, all, names, chosen }} />}
    >
      {names.length === 0 ? (
        <p class="menu-note">{words.explore.filters.noneKnown}</p>
      ) : (
        <Combobox label={what} all={names} {...{ chosen, onChange }} isOpen />
      )}
    </Menu>
  );
}

function Choice({ what, all, names, chosen }: Omit<NamesMenuProps, 'onChange'>) {
  const [first, ...more] = chosen;
  return (
    <>
      <span class="out-of-sight">{what}: </span>
      <bdi class="filter-choice">{names.find(({ value }) => value === first)?.name ?? first ?? all}</bdi>
      {more.length > 0 && <span class="filter-more">+{more.length}</span>}
      <Icon name="chevron" />
    </>
  );
}

function TextSearch({ filter, onChange }: Pick<FilterBarProps, 'filter' | 'onChange'>) {
  const field = useSettled(filter.more.text ?? '', (text) =>
    onChange({ ...filter, more: withMore(filter.more, 'text', text.trim()) }),
  );
  const { text } = words.explore.filters;
  return <input class="text-search" type="search" aria-label={text} placeholder={text} maxLength={200} {...field} />;
}
