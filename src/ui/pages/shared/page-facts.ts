/** Facts about the service that the server writes into the console's page. */
import { isFields } from './forms/fields.ts';

export interface PageFacts {
  /** Clips and snapshots are the NVR's. */
  readonly hasNvr: boolean;
  /** Where people begin, below the base path. */
  readonly home: string;
  /** Who answers for events: the NVR, or Postern's own backend. */
  readonly eventsBy: 'nvr' | 'backend';
  /** False when an authentication proxy in front handles the login. */
  readonly hasOwnLogin: boolean;
  /** Relative to the base path. */
  readonly loginPath: string;
  /** The least length of a new password, in characters. */
  readonly shortestPassword: number;
  /** The address that passkeys are made for; '' without passkeys. */
  readonly passkeyOrigin: string;
  /** Several NVRs share the accounts, a site each. */
  readonly hasSites: boolean;
  /** The providers that people can sign in with. */
  readonly providers: readonly SignInProvider[];
}

export interface SignInProvider {
  readonly name: string;
  /** What people call it. */
  readonly label: string;
}

export function readPageFacts(place: HTMLElement): PageFacts {
  const facts: unknown = JSON.parse(place.dataset['facts'] || '{}');
  const { hasNvr, home, eventsBy, hasOwnLogin, loginPath, shortestPassword, passkeyOrigin, hasSites, providers } =
    isFields(facts) ? facts : {};
  return {
    hasNvr: hasNvr === true,
    home: typeof home === 'string' ? home : '',
    eventsBy: eventsBy === 'nvr' ? 'nvr' : 'backend',
    hasOwnLogin: hasOwnLogin !== false,
    loginPath: typeof loginPath === 'string' ? loginPath : 'login',
    shortestPassword: typeof shortestPassword === 'number' ? shortestPassword : 12,
    passkeyOrigin: typeof passkeyOrigin === 'string' ? passkeyOrigin : '',
    hasSites: hasSites === true,
    providers: (Array.isArray(providers) ? providers : []).filter(isFields).map(({ name, label }) => ({
      name: String(name),
      label: String(label),
    })),
  };
}
