/** Small route tables for tests: `'GET /api/events any query:cameras rewrite:cameras'` is a row. */
import assert from 'node:assert/strict';
import type { Access, Locator, Narrowing, TimePlace } from '../../src/domain/policy.ts';
import { parseLocator, parseNarrowing, parseTimePlace } from '../../src/routes/parse-terms.ts';
import type { PolicyRow } from '../../src/routes/policy-row.ts';

/** `method path access [locators joined by +] [narrow]`; a path with `!` in front is dynamic. */
export function row(text: string): PolicyRow {
  const [method = '', path = '', access = '', locators, narrow] = text.split(/\s+/);
  const isDynamic = path.startsWith('!');
  return {
    methods: method.split(','),
    path: isDynamic ? path.slice(1) : path,
    access: access as Access,
    ...(locators && locators !== '-' ? { cameras: locatorsOf(locators) } : {}),
    ...(narrow ? { narrow: narrowingOf(narrow) } : {}),
    ...(isDynamic ? { dynamic: true } : {}),
    line: 1,
  };
}

const known = <Term>(read: (text: string) => Term | undefined, text: string): Term =>
  read(text) ?? assert.fail(`${text} is no term of a row`);
/** `path:camera+query:cameras` */
export const locatorsOf = (text: string): readonly Locator[] => text.split('+').map((one) => known(parseLocator, one));
export const narrowingOf = (text: string): Narrowing => known(parseNarrowing, text);
export const timesOf = (...texts: string[]): readonly TimePlace[] => texts.map((text) => known(parseTimePlace, text));

export const segmentsOf = (path: string): string[] => path.slice(1).split('/').map(decodeURIComponent);
