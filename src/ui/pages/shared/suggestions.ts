/** Which names are suggested for a text: names that contain it, names that begin with it first. Pure. */

/** `value`: the value as the service names it. `name`: the name as people read it. */
export type Suggestion = { readonly value: string; readonly name: string };

const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

export function suggestionsFor(text: string, all: readonly Suggestion[]): readonly Suggestion[] {
  const wanted = fold(text.trim());
  const rankOf = ({ value, name }: Suggestion): number => {
    const places = [fold(name), fold(value)].map((one) => one.indexOf(wanted));
    return places.includes(0) ? 0 : places.some((place) => place > 0) ? 1 : 2;
  };
  const ranked = all.map((suggestion) => ({ suggestion, rank: rankOf(suggestion) })).filter(({ rank }) => rank < 2);
  return ranked.sort((one, other) => one.rank - other.rank).map(({ suggestion }) => suggestion);
}

/** What a typed text means: the suggestion of that name, whatever the case; else the text itself. */
export function meantBy(text: string, all: readonly Suggestion[]): string {
  const wanted = text.trim();
  const known = all.find(({ value }) => value === wanted);
  return (
    (known ?? all.find(({ value, name }) => [value, name].some((one) => fold(one) === fold(wanted))))?.value ?? wanted
  );
}

export const withToggled = (chosen: readonly string[], value: string): readonly string[] =>
  chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
