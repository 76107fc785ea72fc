/** The camera that a denied request named, as a label: known names only (SPEC 9). */

/** The first known camera in path or query that `maySee` does not hold. */
export function deniedCamera(
  target: string,
  isKnown: (name: string) => boolean,
  maySee: (name: string) => boolean,
): string | undefined {
  const [path = '', query = ''] = target.split('?', 2);
  const values = [...new URLSearchParams(query).values()].flatMap((value) => value.split(','));
  return [...path.split('/').map(decoded), ...values].find((name) => isKnown(name) && !maySee(name));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
