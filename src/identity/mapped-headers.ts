/** Whether the headers that are mapped can be believed at all: a mapping that cannot is said at start (interface 5.5.7). */
import { CREDENTIAL_HEADERS } from './identity-header.ts';
import type { TrustedHeaderList } from './trusted-headers-file.ts';

/** A key of the configuration whose header is never believed, and why. */
export interface MappingProblem {
  readonly path: readonly [section: 'proxy', map: 'header_map', key: string];
  readonly message: string;
}

/** Names are lower-case. */
export function mappingProblems(
  { user, role }: { readonly user?: string | undefined; readonly role?: string | undefined },
  { file, names }: TrustedHeaderList,
): readonly MappingProblem[] {
  return Object.entries({ user, role }).flatMap(([key, name]): MappingProblem[] => {
    if (name === undefined || (names.has(name) && !CREDENTIAL_HEADERS.has(name))) return [];
    const message = CREDENTIAL_HEADERS.has(name)
      ? `"${name}" holds credentials and is never trusted: map another header`
      : `"${name}" is not on the allowlist ${file}, so it is never trusted: add it there, or map another header`;
    return [{ path: ['proxy', 'header_map', key], message }];
  });
}
