/** What the caller may see, from the headers that the gate sets (interface 5.5.4). */
import type { IncomingHttpHeaders } from 'node:http';
import {
  bothScopes,
  type CameraScope,
  type CustomRoles,
  scopeOfNames,
  scopeOfRole,
  unionOfScopes,
} from '../domain/camera-scope.ts';
import type { Role } from '../domain/names.ts';

/**
 * Undefined without the header `remote-role`. An undefined role sees nothing, and so does a list of roles. Where a person
 * has several, `remote-roles` lists them. The header `remote-cameras` leaves of their cameras only the ones that it names:
 * a token may be narrowed to cameras, and a role may be outside its hours.
 */
export function callerScope(headers: IncomingHttpHeaders, roles: CustomRoles): CameraScope | undefined {
  const { 'remote-role': role, 'remote-roles': all, 'remote-cameras': cameras } = headers;
  if (typeof role !== 'string' || role === '') return undefined;
  const held = typeof all === 'string' && cameras !== undefined ? all.split(',') : [role];
  const scope = unionOfScopes(held.map((name) => scopeOfRole(name as Role, roles)));
  return cameras === undefined ? scope : bothScopes(scope, scopeOfNames(namesIn(String(cameras))));
}

/** Unix seconds: nothing that began before may be told. NaN for what is no time: nothing is told then. */
export const callerSince = ({ 'remote-since': since }: IncomingHttpHeaders): number | undefined =>
  since === undefined ? undefined : Number(since);

const namesIn = (cameras: string): string[] => (cameras === '' ? [] : cameras.split(',').map(decodeURIComponent));
