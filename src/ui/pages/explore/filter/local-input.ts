/** Converts between Unix seconds and the value of a `datetime-local` field, which is in the viewer's own clock. */

/** `2026-08-04T14:05`; empty for no time. */
export function toLocalInput(time: number | undefined): string {
  if (time === undefined || Number.isNaN(new Date(time * 1000).getTime())) return '';
  const date = new Date(time * 1000);
  const day = [date.getFullYear().toString().padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())];
  return `${day.join('-')}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A field without a time zone means the local one, and so does Date. */
export function fromLocalInput(text: string): number | undefined {
  const milliseconds = text === '' ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

const two = (number: number): string => number.toString().padStart(2, '0');
