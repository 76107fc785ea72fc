/** Hours as people type them, as the API takes them: `9-18` is `daily 09:00-18:00`, `Mo-Fr 9-18` is `Mon-Fri 09:00-18:00` (SPEC 13). Pure. */

const SPAN =
  /^(?<days>.*?)\s*(?<from>\d{1,2})(?::(?<fromMinute>\d{2}))?\s*[-–]\s*(?<to>\d{1,2})(?::(?<toMinute>\d{2}))?$/;

/** Days in German, by two letters. */
const DAYS: Readonly<Record<string, string>> = {
  mo: 'Mon',
  di: 'Tue',
  mi: 'Wed',
  do: 'Thu',
  fr: 'Fri',
  sa: 'Sat',
  so: 'Sun',
  täglich: 'daily',
};

/** A line that is no span of hours stays as it is: the API says what is wrong with it. */
export function spelledHours(line: string): string {
  const { days = '', from, to, fromMinute = '00', toMinute = '00' } = SPAN.exec(line.trim())?.groups ?? {};
  if (from === undefined || to === undefined) return line.trim();
  const named = days.replaceAll(/\p{L}+/gu, (word) => DAYS[word.toLowerCase()] ?? word);
  return `${named === '' ? 'daily' : named} ${from.padStart(2, '0')}:${fromMinute}-${to.padStart(2, '0')}:${toMinute}`;
}
