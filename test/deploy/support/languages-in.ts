/** The languages whose texts an installation has: the server's in its bundle, the console's beside its pages. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalog, TAGS } from '../../../src/locales/compile-catalogs.ts';

const textOf = (folder: string, pattern: string): string =>
  globSync(pattern, { cwd: folder })
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');

/** `folder`: has `bundle` and `dist/ui`. */
export function languagesIn(folder: string): readonly string[] {
  const server = textOf(folder, 'bundle/*.js').replaceAll(/\\u(?<code>[\da-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return TAGS.filter((tag) => {
    const { 'login.form.wrong': served, 'access.lead': shown } = readCatalog(tag);
    const console = textOf(folder, `dist/ui/assets/${tag}{-,.}*.js`);
    return served && shown && server.includes(served) && console.includes(shown);
  });
}
