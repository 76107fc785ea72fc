/** Whether the headers that are mapped can be believed at all: a mapping that cannot is said at start (interface 5.5.7). */
import { CREDENTIAL_HEADERS } from './identity-header.ts';
import type { TrustedHeaderList } from './trusted-headers-file.ts';

/** A key of the configuration whose header is never believed, and why. */
export interface MappingProblem {
  readonly path: readonly [section: 'proxy', map: 'header_map', key: string];
  readonly message: string;
  /** The header is the user's: every request would be 401. */
  readonly isFatal: boolean;
}

/** Interface 5.5.7: where a list takes the place of the one that is shipped. */
export const MOUNTED = '/usr/local/nginx/conf/proxy_trusted_headers.conf';

/** Names are lower-case. */
export function mappingProblems(
  { user, role }: { readonly user?: string | undefined; readonly role?: string | undefined },
  { file, names }: TrustedHeaderList,
  /** A list that is shipped and has the header. */
  readyFile: (name: string) => string | undefined,
): readonly MappingProblem[] {
  return Object.entries({ user, role }).flatMap(([key, name]): MappingProblem[] => {
    if (name === undefined || (names.has(name) && !CREDENTIAL_HEADERS.has(name))) return [];
    const effect = key === 'user' ? 'so it is never trusted and every request would be 401' : 'so it is never trusted';
    const ready = readyFile(name);
    const message = CREDENTIAL_HEADERS.has(name)
      ? `"${name}" holds credentials and is never trusted: map another header`
      : `"${name}" is not on the allowlist ${file}, ${effect}: ${ready ? `mount ${ready} at ${MOUNTED}, ` : ''}add it there, or map another header`;
    return [{ path: ['proxy', 'header_map', key], message, isFatal: key === 'user' }];
  });
}
