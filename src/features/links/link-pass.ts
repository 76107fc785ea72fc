/** What the page of a link gives a browser: a signed cookie for that link alone, which knows the viewer again and says that the PIN was given (SPEC 13). */
import { createHmac, randomBytes } from 'node:crypto';
import { isSame } from '../../accounts/second-factor/sealing.ts';
import type { Link } from './tables.ts';

export type LinkPasses = ReturnType<typeof createLinkPasses>;

const DIGITS = /^\d+$/;
/** What is kept of a PIN begins so where it has digits alone: phones then show the keyboard for them. */
const OF_DIGITS = '9.';
export const hasDigitsAlone = ({ pinHash }: Link): boolean => pinHash?.startsWith(OF_DIGITS) === true;

/** The cookie's path is the link's, so that a browser shows it to no other. */
export const PASS_COOKIE = 'postern_link';
export const PASS_SECONDS = 86_400;

const VIEWER_BYTES = 12;
const PASS = /^(?<viewer>[A-Za-z0-9_-]{16})\.(?<until>\d{1,12})\.(?<mac>[A-Za-z0-9_-]{43})$/;
const MOST_COOKIES = 8;

/**
 * A PIN has few digits, and no slow hash would save it from one who has read the store. So its digest has a key, which is
 * not in the store: made from the secret that sessions are signed with. Checking it costs nothing, so that strangers cannot
 * keep the server busy with guesses.
 */
export function createLinkPasses(key: Uint8Array) {
  const macOf = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  const passMac = ({ id, pinHash }: Link, viewer: string, until: string): string =>
    macOf(`pass ${id} ${viewer} ${until} ${pinHash ?? ''}`);
  const pinHash = (linkId: string, pin: string): string =>
    `${DIGITS.test(pin) ? OF_DIGITS : ''}${macOf(`pin ${linkId} ${pin.normalize('NFC')}`)}`;
  return {
    /** What is kept of a PIN. */
    pinHash,
    isPin: (link: Link, pin: string): boolean => link.pinHash !== null && isSame(pinHash(link.id, pin), link.pinHash),
    /** Issues a pass to a viewer who has given the PIN, where the link has one. `until`: Unix seconds. */
    issue(link: Link, until: number): string {
      const viewer = randomBytes(VIEWER_BYTES).toString('base64url');
      return `${viewer}.${until}.${passMac(link, viewer, String(until))}`;
    },
    /** The viewer that one of the cookies names; undefined when none of them holds for this link, with its PIN. */
    viewerIn(link: Link, cookies: readonly string[], now: number): string | undefined {
      for (const cookie of cookies.slice(0, MOST_COOKIES)) {
        const { viewer = '', until = '', mac = '' } = PASS.exec(cookie)?.groups ?? {};
        if (viewer !== '' && Number(until) > now && isSame(mac, passMac(link, viewer, until))) return viewer;
      }
      return undefined;
    },
  };
}
