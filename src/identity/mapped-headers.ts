/** Whether the headers that are mapped can be believed at all: a mapping that cannot is said at start (interface 5.5.7). */
import { CREDENTIAL_HEADERS } from './identity-header.ts';
import type { TrustedHeaderList } from './trusted-headers-file.ts';

/** A sentence for each key of `proxy.header_map` whose header is never believed. Names are lower-case. */
export function mappedHeaderWarnings(
  headerMap: { readonly user?: string | undefined; readonly role?: string | undefined },
  { file, names }: TrustedHeaderList,
): readonly string[] {
  return Object.entries(headerMap).flatMap(([key, name]) => {
    if (name === undefined || (names.has(name) && !CREDENTIAL_HEADERS.has(name))) return [];
    const shown = `proxy.header_map.${key}: "${name}"`;
    return CREDENTIAL_HEADERS.has(name)
      ? [`${shown} holds credentials and is never believed: map another header`]
      : [`${shown} is not on the allowlist ${file}, so it is never believed: add it there, or map another header`];
  });
}
