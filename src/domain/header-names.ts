/** One spelling for header names that a lenient reader takes for one another. */

/** Clients send the same few dozen names for ever; whoever makes up others gets them spelled anew each time. */
const MOST_REMEMBERED = 1000;
const spelled = new Map<string, string>();

/**
 * Lower-case, with every run of other characters as one hyphen: CGI-style back ends read `Remote_Role`,
 * `Remote.Role` and `remote-role` as one header, and so must whoever removes it.
 */
export function normalizedHeaderName(name: string): string {
  const known = spelled.get(name);
  if (known !== undefined) return known;
  const normalized = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  if (spelled.size < MOST_REMEMBERED) spelled.set(name, normalized);
  return normalized;
}
