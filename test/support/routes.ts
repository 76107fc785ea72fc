/** Small route tables for tests: `'GET /api/events any query:cameras rewrite:cameras'` is a row. */
import type { Access, PolicyRow } from '../../src/domain/policy.ts';

/** `method path access [locators joined by +] [narrow]`; a path with `!` in front is dynamic. */
export function row(text: string): PolicyRow {
  const [method = '', path = '', access = '', locators, narrow] = text.split(/\s+/);
  const isDynamic = path.startsWith('!');
  return {
    methods: method.split(','),
    path: isDynamic ? path.slice(1) : path,
    access: access as Access,
    ...(locators && locators !== '-' ? { cameras: locators.split('+') } : {}),
    ...(narrow ? { narrow } : {}),
    ...(isDynamic ? { dynamic: true } : {}),
    line: 1,
  };
}

export const segmentsOf = (path: string): string[] => path.slice(1).split('/').map(decodeURIComponent);
