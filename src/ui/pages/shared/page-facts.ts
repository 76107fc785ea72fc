/** What the server told the console about the house, in the page itself. */
import { isFields } from './fields.ts';

export interface PageFacts {
  /** Clips and snapshots are the NVR's. */
  readonly hasNvr: boolean;
  /** Whether people log in here, and not at a proxy in front. */
  readonly hasOwnLogin: boolean;
  /** Relative to the base path. */
  readonly loginPath: string;
}

export function readPageFacts(place: HTMLElement): PageFacts {
  const facts: unknown = JSON.parse(place.dataset['facts'] || '{}');
  const { hasNvr, hasOwnLogin, loginPath } = isFields(facts) ? facts : {};
  return {
    hasNvr: hasNvr === true,
    hasOwnLogin: hasOwnLogin !== false,
    loginPath: typeof loginPath === 'string' ? loginPath : 'login',
  };
}
