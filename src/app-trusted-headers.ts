/** Introduces the allowlist file to the log: what is wrong with it, and which mapped header it does not hold (interface 5.5.7). */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from './config/schema.ts';
import { mappedHeaderWarnings } from './identity/mapped-headers.ts';
import {
  readTrustedHeaders,
  type TrustedHeaderList,
  type TrustedHeadersFiles,
  watchTrustedHeaders,
} from './identity/trusted-headers-file.ts';

export interface TrustedHeaders {
  current(): TrustedHeaderList;
  close(): void;
}

/** Interface 5.5.7: a file that is mounted there takes the place of the one that is shipped. */
export const TRUSTED_HEADERS_FILES: TrustedHeadersFiles = {
  mounted: '/usr/local/nginx/conf/proxy_trusted_headers.conf',
  shipped: join(import.meta.dirname, '../trusted-headers/proxy_trusted_headers.conf'),
};

/** Rejects with file and line when the list that is there is bad. */
export async function openTrustedHeaders(
  { auth, proxy }: Settings,
  files: TrustedHeadersFiles,
  log: Logger,
): Promise<TrustedHeaders> {
  const first = await readTrustedHeaders(files);
  if (!first.ok) throw new Error(first.error);
  let current = first.value;
  const warn = (): void => {
    if (auth.enabled) return;
    for (const warning of mappedHeaderWarnings(proxy.header_map, current)) log.warn(warning);
  };
  warn();
  const close = watchTrustedHeaders(files, current, {
    onChange(list) {
      current = list;
      log.info({ file: list.file, headers: list.names.size }, 'the list of trusted headers was read again');
      warn();
    },
    onBad: (problem) => log.error(`${problem}; the list that was read before stays in use`),
  });
  return { current: () => current, close };
}
