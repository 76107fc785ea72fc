/** The fields for a time of the day, whatever the day (interface 4.1, `time_range`). */
import { useId } from 'preact/hooks';
import { Labelled } from '../../shared/forms/labelled.tsx';
import { words } from '../../shared/words.ts';
import { useSettled } from './use-draft.ts';

const WHOLE_DAY = ['00:00', '24:00'] as const;

interface TimeOfDayProps {
  /** `08:00,18:00`; empty for the whole day. An end that is not given is the day's own. */
  readonly range: string;
  readonly onChange: (range: string) => void;
}

export function TimeOfDay({ range, onChange }: TimeOfDayProps) {
  const [from = '', until = ''] = range.split(',');
  const change = (start: string, end: string): void =>
    onChange(start === '' && end === '' ? '' : `${start || WHOLE_DAY[0]},${end || WHOLE_DAY[1]}`);
  return (
    <fieldset class="names">
      <legend class="choice-legend">{words.explore.filters.timeOfDay}</legend>
      <div class="form-row">
        <Clock
          label={words.explore.filters.from}
          time={from === WHOLE_DAY[0] ? '' : from}
          onChange={(start) => change(start, until)}
        />
        <Clock
          label={words.explore.filters.to}
          time={until === WHOLE_DAY[1] ? '' : until}
          onChange={(end) => change(from, end)}
        />
      </div>
    </fieldset>
  );
}

interface ClockProps {
  readonly label: string;
  readonly time: string;
  readonly onChange: (time: string) => void;
}

function Clock({ label, time, onChange }: ClockProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label }}>
      <input id={id} type="time" {...useSettled(time, onChange)} />
    </Labelled>
  );
}
