/** Narrowing a list to a role's cameras in the query, before the NVR is asked (SPEC 5, `rewrite`, `fanout`). */
import type { CameraName } from '../domain/names.ts';
import type { RequestTarget } from '../domain/request.ts';
import { queryValues, replaceInQuery } from './query.ts';

/** The target with the parameter set to these cameras. */
export const withCameras = (target: RequestTarget, parameter: string, cameras: readonly string[]): RequestTarget => ({
  ...target,
  query: replaceInQuery(target.query, new Map([[parameter, cameras.join(',')]])),
});

/** The cameras that either parameter names, each once, or all visible ones: the NVR never gets a word for "all". */
export function askedCameras(target: RequestTarget, parameter: string, visible: readonly CameraName[]): string[] {
  for (const name of [parameter, 'camera']) {
    const value = queryValues(target.query, name).at(-1) ?? 'all';
    if (value !== 'all') return [...new Set(value.split(',').map(trimmed).filter(isGiven))];
  }
  return [...visible];
}

const trimmed = (text: string): string => text.trim();
const isGiven = (text: string): boolean => text !== '';
