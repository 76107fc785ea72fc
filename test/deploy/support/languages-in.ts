/** The languages whose texts an installation has: the server's in its bundle, the console's beside its pages. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalog, TAGS } from '../../../src/locales/compile-catalogs.ts';

/** Every text of the files, as it is shown: a bundler may write a character by its number, `\xA0` or `\u00A0`. */
const textOf = (folder: string, pattern: string): string =>
  globSync(pattern, { cwd: folder })
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
    .replaceAll(/\\(?:u(?<four>[\da-f]{4})|x(?<two>[\da-f]{2}))/gi, (_, four?: string, two?: string) =>
      String.fromCharCode(Number.parseInt(four ?? two ?? '', 16)),
    );

/** `folder`: has `bundle` and `dist/ui`. */
export function languagesIn(folder: string): readonly string[] {
  const server = textOf(folder, 'bundle/*.js');
  return TAGS.filter((tag) => {
    const { 'login.form.wrong': served, 'access.lead': shown } = readCatalog(tag);
    const console = textOf(folder, `dist/ui/assets/${tag}{-,.}*.js`);
    return served && shown && server.includes(served) && console.includes(shown);
  });
}
