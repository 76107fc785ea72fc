/** Hours of a role to click: days as buttons, and two times, as many rows as there are lines of text (SPEC 13). */
import { words } from '../../shared/words.ts';
import { dayNames } from './day-names.ts';
import { type HoursRow, hoursLineOf, hoursRowOf } from './typed-hours.ts';

interface HoursRowsProps {
  /** Lines of text. One that is no span of hours has no row, and stays as it is. */
  readonly value: string;
  readonly onChange: (hours: string) => void;
}

const FIRST_ROW: HoursRow = { days: [0, 1, 2, 3, 4], from: '08:00', to: '18:00' };

export function HoursRows({ value: hours, onChange }: HoursRowsProps) {
  const names = dayNames();
  const lines = hours.split('\n').filter((line) => line.trim() !== '');
  const put = (at: number, ...rows: readonly HoursRow[]): void =>
    onChange(lines.toSpliced(at, 1, ...rows.map(hoursLineOf)).join('\n'));
  return (
    <fieldset class="camera-choice">
      <legend>{words.roles.hours}</legend>
      {lines.map((line, at) => {
        const row = hoursRowOf(line, names);
        return row && <Row key={at} row={row} onChange={(next) => put(at, next)} onRemove={() => put(at)} />;
      })}
      <button class="button button-small" type="button" onClick={() => put(lines.length, FIRST_ROW)}>
        {words.roles.addHours}
      </button>
    </fieldset>
  );
}

interface RowProps {
  readonly row: HoursRow;
  readonly onChange: (row: HoursRow) => void;
  readonly onRemove: () => void;
}

function Row({ row, onChange, onRemove }: RowProps) {
  const { days, from, to } = row;
  // The last day stays: a row without days is removed by its button.
  const switchDay = (day: number): void => {
    const next = days.includes(day) ? days.filter((one) => one !== day) : [...days, day];
    if (next.length > 0) onChange({ ...row, days: next });
  };
  const time = (label: string, value: string, put: (value: string) => HoursRow) => (
    <input
      type="time"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => currentTarget.value !== '' && onChange(put(currentTarget.value))}
    />
  );
  return (
    <div class="hours-row">
      {dayNames().short.map((name, day) => (
        <button
          key={name}
          class="button button-small day-button"
          type="button"
          aria-pressed={days.includes(day)}
          onClick={() => switchDay(day)}
        >
          {name}
        </button>
      ))}
      <span class="hours-times">
        {time(words.roles.hoursFrom, from, (value) => ({ ...row, from: value }))}
        <span aria-hidden="true">–</span>
        {time(words.roles.hoursTo, to, (value) => ({ ...row, to: value }))}
        <button class="button button-plain button-small" type="button" onClick={onRemove}>
          {words.roles.removeHours}
        </button>
      </span>
    </div>
  );
}
