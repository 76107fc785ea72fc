/** What the caller may see, from the headers that the gate sets (interface 5.5.4). */
import type { IncomingHttpHeaders } from 'node:http';
import { bothScopes, type CameraScope, type CustomRoles, scopeOfNames, scopeOfRole } from '../domain/camera-scope.ts';
import type { Role } from '../domain/names.ts';

/**
 * Undefined without the header `remote-role`. An undefined role sees nothing, and so does a list of roles. The header
 * `remote-cameras`, of a token that is narrowed to cameras, leaves of the role's cameras only the ones that it names.
 */
export function callerScope(headers: IncomingHttpHeaders, roles: CustomRoles): CameraScope | undefined {
  const { 'remote-role': role, 'remote-cameras': cameras } = headers;
  if (typeof role !== 'string' || role === '') return undefined;
  const scope = scopeOfRole(role as Role, roles);
  return cameras === undefined ? scope : bothScopes(scope, scopeOfNames(namesIn(String(cameras))));
}

const namesIn = (cameras: string): string[] => (cameras === '' ? [] : cameras.split(',').map(decodeURIComponent));
