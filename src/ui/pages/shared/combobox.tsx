/** Choose several names from suggestions as one types: an ARIA combobox with a list box, for keyboard, pointer and touch. */
import { useId, useState } from 'preact/hooks';
import { meantBy, type Option, suggestionsFor, withToggled } from './spelling.ts';
import { words } from './words.ts';

interface ComboboxProps {
  readonly label: string;
  readonly all: readonly Option[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** The list is there always, not only while the field has the focus. */
  readonly isOpen?: boolean;
  /** What is typed may be a name that is not suggested. */
  readonly takesOwn?: boolean;
}

/** More than fit on any screen; typing leads to the others. */
const MOST_SHOWN = 100;

export function Combobox({ label, all, chosen, onChange, isOpen = false, takesOwn = false }: ComboboxProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [hasFocus, setHasFocus] = useState(false);
  const [active, setActive] = useState(-1);
  const shown = suggestionsFor(text, all).slice(0, MOST_SHOWN);
  const isListed = isOpen || (hasFocus && shown.length > 0);
  const optionId = (at: number): string => `${id}-${at}`;

  const toggle = (value: string): void => {
    onChange(withToggled(chosen, value));
    setText('');
    if (text !== '') setActive(-1);
  };
  const take = (): void => {
    const value = meantBy(text, all);
    if (takesOwn && value !== '' && !chosen.includes(value)) toggle(value);
    else setText('');
  };
  const move = (step: number): void => {
    setHasFocus(true);
    const to = shown.length === 0 ? -1 : (Math.max(active, step < 0 ? 0 : -1) + step + shown.length) % shown.length;
    setActive(to);
    document.getElementById(optionId(to))?.scrollIntoView({ block: 'nearest' });
  };
  const onEnter = (): void => {
    const option = shown[active] ?? (takesOwn || text === '' ? undefined : shown[0]);
    if (option) toggle(option[0]);
    else take();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') onEnter();
    else if (event.key === 'Backspace' && text === '' && chosen.length > 0) onChange(chosen.slice(0, -1));
    else if (event.key === 'Escape' && (text !== '' || active >= 0)) {
      setText('');
      setActive(-1);
      event.stopPropagation(); // the next one closes what is around
    } else return;
    if (event.key !== 'Escape') event.preventDefault();
  };
  return (
    <div class="combobox field">
      <label for={id}>{label}</label>
      {chosen.length > 0 && (
        <ul class="row chosen">
          {chosen.map((value) => (
            <li key={value}>
              <button class="chosen-name" type="button" onClick={() => toggle(value)}>
                <span class="out-of-sight">{words.ui.combobox.remove} </span>
                <bdi>{all.find(([one]) => one === value)?.[1] ?? value}</bdi>
                <span aria-hidden="true"> ×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={words.ui.combobox.type}
        aria-expanded={isListed}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 && isListed ? optionId(active) : undefined}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setActive(-1);
        }}
        onFocus={() => setHasFocus(true)}
        onBlur={() => {
          setHasFocus(false);
          setActive(-1);
          take();
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${id}-list`}
        class="combobox-list"
        role="listbox"
        aria-label={label}
        aria-multiselectable="true"
        hidden={!isListed}
      >
        {isListed &&
          shown.map(([value, name], at) => (
            // The focus stays in the field: a press must not take it away. The keys are those of the field.
            <div
              key={value}
              id={optionId(at)}
              class={at === active ? 'name-option is-active' : 'name-option'}
              role="option"
              tabIndex={-1}
              aria-selected={chosen.includes(value)}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => toggle(value)}
              onKeyDown={({ key }) => key === 'Enter' && toggle(value)}
            >
              <span class="name-check" aria-hidden="true" />
              <bdi title={name === value ? undefined : value}>{name}</bdi>
            </div>
          ))}
      </div>
      <p class={shown.length === 0 && isListed ? 'menu-note' : 'out-of-sight'} role="status">
        {isListed &&
          (shown.length === 0
            ? words.ui.combobox.none
            : text !== '' && words.ui.combobox.suggestions({ number: shown.length }))}
      </p>
    </div>
  );
}
