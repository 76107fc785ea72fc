/** How names and times are written, and which names are suggested for a text; on pages without the texts of the console too. Pure. */

/** The viewer's region of the page's language: an English page has no French weekday. */
export const localeFor = (language: string, wished: readonly string[]): string =>
  wished.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language;

/** A line ends beside a date or a number with its unit, and not inside: `3. Dezember 2026`, `5 Min.` */
export const unbroken = (text: string): string =>
  text.replaceAll(/(?<=(?<!\d)\d{1,2}\.?) (?=\p{L})|(?<=\p{L}\.?) (?=\d{1,2}(?!\d))/gu, '\u00A0');

/** `front_door` is `front door`. An underscore at an end, or beside another, stays. */
export const spaced = (name: string): string => name.replaceAll(/(?<=[^_])_+(?=[^_])/g, ' ');

/** Unix seconds as the value of a `datetime-local` field, which is in the viewer's own clock: `2026-08-04T14:05`; empty for no time. */
export function toLocalInput(time: number | undefined): string {
  const date = new Date((time ?? Number.NaN) * 1000);
  if (Number.isNaN(date.getTime())) return '';
  const day = [date.getFullYear().toString().padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())];
  return `${day.join('-')}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A field without a time zone means the local one, and so does Date. */
export function fromLocalInput(text: string): number | undefined {
  const milliseconds = text === '' ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

const two = (number: number): string => number.toString().padStart(2, '0');

/** The value as the service names it, and what people read. */
export type Option<Value extends string = string> = readonly [value: Value, text: string];

const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Names that contain the text; names that begin with it come first. */
export function suggestionsFor(text: string, all: readonly Option[]): readonly Option[] {
  const wanted = fold(text.trim());
  const rankOf = (names: Option): number => {
    const places = names.map((one) => fold(one).indexOf(wanted));
    return places.includes(0) ? 0 : places.some((place) => place > 0) ? 1 : 2;
  };
  const ranked = Map.groupBy(all, rankOf);
  return [0, 1].flatMap((rank) => ranked.get(rank) ?? []);
}

/** What a typed text means: the suggestion of that name, whatever the case; else the text itself. */
export function meantBy(text: string, all: readonly Option[]): string {
  const wanted = text.trim();
  const known = all.find(([value]) => value === wanted);
  const [value] = known ?? all.find((names) => names.some((one) => fold(one) === fold(wanted))) ?? [wanted];
  return value;
}

export const withToggled = <Value>(chosen: readonly Value[], value: Value): readonly Value[] =>
  chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
