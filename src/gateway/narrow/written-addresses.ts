/** Addresses that a server below a prefix writes of itself into its JSON, as a client must see them (SPEC 20). */
import { isNestedTooDeep, isRecord } from '../../domain/json.ts';
import { addressBelow, type PublicPlace } from '../response/public-place.ts';

/** Undefined of what is no JSON. `members` hold the addresses, at any depth. */
export function withAddressesAt(text: string, members: readonly string[], place: PublicPlace): string | undefined {
  try {
    if (isNestedTooDeep(text)) return undefined;
    return JSON.stringify(written(JSON.parse(text), members, place));
  } catch {
    return undefined;
  }
}

function written(json: unknown, members: readonly string[], place: PublicPlace): unknown {
  if (Array.isArray(json)) return json.map((element) => written(element, members, place));
  if (!isRecord(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      typeof value === 'string' && members.includes(name) ? wholeAddress(value, place) : written(value, members, place),
    ]),
  );
}

/** A program reads it without knowing where the answer came from. */
function wholeAddress(value: string, place: PublicPlace): string {
  const address = addressBelow(value, place);
  return address === value ? value : `${place.origin}${address}`;
}
