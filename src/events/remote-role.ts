/** What the caller may see, from the headers that the gate sets (interface 5.5.4). */
import type { IncomingHttpHeaders } from 'node:http';
import { type CameraScope, type CustomRoles, scopeOfRole } from '../domain/camera-scope.ts';
import type { Role } from '../domain/names.ts';

/** Undefined when nobody was named. A role that nobody defined sees nothing, and so does a list of roles. */
export function callerScope(headers: IncomingHttpHeaders, roles: CustomRoles): CameraScope | undefined {
  const role = headers['remote-role'];
  return typeof role === 'string' && role !== '' ? scopeOfRole(role as Role, roles) : undefined;
}
