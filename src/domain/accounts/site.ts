/** Sites as they are kept, several services on one store (SPEC 20). Times are Unix seconds. */
import type { Role } from '../names.ts';

/** What a site tells the others by the store. */
export interface SiteRecord {
  /** `server.site`; empty for a service without one. */
  readonly site: string;
  /** Undefined while its NVR was never asked. */
  readonly cameras: readonly string[] | undefined;
  /** Those of its configuration file. */
  readonly roles: readonly Role[];
  /** The digest of its signing secret. */
  readonly keyId: string;
  /** Unix seconds. */
  readonly changedAt: number;
}

const SITE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$/;

export const isSiteName = (text: string): boolean => SITE_NAME.test(text);
