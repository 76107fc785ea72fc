/** `POSTERN_NVR__URL` and `POSTERN__NVR_URL`: variables that are no key, and nearly one (SPEC 1). */
import type { KeySchema } from './schema/schema.ts';

const OURS = /^POSTERN_+(?<rest>[A-Z].*)$/i;
const PROPER = /^POSTERN__/;

/** The variable that was meant; undefined for one that is right, and for one that is none of ours. */
export function meantVariable(name: string, schema: KeySchema): string | undefined {
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
