/** Narrowing a list to a role's cameras by its query, before anybody is asked (SPEC 5, `how: rewrite`). */
import type { CameraName } from '../domain/names.ts';
import type { PlainTarget } from '../domain/request.ts';
import type { AccessVerdict } from '../domain/verdict.ts';
import { queryValues, replaceInQuery } from './query.ts';

const REWRITE = 'rewrite:';

/**
 * `narrow` is the row's rule (`rewrite:<parameter>`); any other cannot be done on a query and is refused.
 * The cameras that the request names have been found to be visible.
 */
export function narrowQuery(narrow: string, target: PlainTarget, visible: readonly CameraName[]): AccessVerdict {
  if (!narrow.startsWith(REWRITE)) return { kind: 'refused', reason: 'not-narrowable' };
  const parameter = narrow.slice(REWRITE.length);
  const [requested = 'all'] = queryValues(target.query, parameter);
  const [single = 'all'] = queryValues(target.query, 'camera');
  const cameras = requested !== 'all' ? requested : single !== 'all' ? single : visible.join(',');
  if (cameras === '') return { kind: 'nothing-visible' };
  return {
    kind: 'allowed',
    target: { ...target, query: replaceInQuery(target.query, new Map([[parameter, cameras]])) },
  };
}
