/** `POSTERN_NVR__URL` and `POSTERN__NVR_URL`: environment variables that are nearly the name of a key (SPEC 1). */
import type { KeySchema } from './schema/schema.ts';

const OURS = /^POSTERN_+(?<rest>[A-Z].*)$/i;
const PROPER = /^POSTERN__/;

/** The variable that was probably meant; undefined for a known variable, and for one without our prefix. */
export function misspelledVariable(name: string, schema: KeySchema): string | undefined {
  const rest = OURS.exec(name)?.groups?.['rest'];
  if (rest === undefined) return undefined;
  const path = keyPaths(schema).find((keys) => folded(keys.join('_')) === folded(rest));
  if (path === undefined) return undefined;
  const meant = `POSTERN__${path.join('__').toUpperCase()}`;
  return PROPER.test(name) && name.toUpperCase() === meant ? undefined : meant;
}

/** However many underscores stand between two words. */
const folded = (text: string): string => text.toLowerCase().replaceAll(/_+/g, '_');

const keyPaths = (schema: KeySchema, above: readonly string[] = []): readonly (readonly string[])[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, part]) => {
    const path = [...above, key];
    return part.properties ? keyPaths(part, path) : [path];
  });
