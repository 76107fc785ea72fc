/**
 * `server.console_url`: the console has a host name of its own, so that a script of the NVR's pages runs in another origin
 * (SPEC 8, 11). Each host name serves its own part; what is on both is a login, a logout and who is logged in.
 */
import { isOwn, isServedHere, type RouteMatch } from '../../access/route-table.ts';
import type { Caller } from '../../domain/caller.ts';
import { INVITATION_PATH, SCREEN_PATH } from '../../domain/login-path.ts';
import { type RequestFacts, type RequestTarget, singleHeader } from '../../domain/request.ts';
import { LINK_PATH } from '../../domain/shared-thing.ts';
import { areCredentialsAutomatic } from './csrf.ts';

/** Own rows that need a login and that pages of the NVR use: they change nothing of an account. */
const ON_EVERY_HOST: readonly string[] = [
  '/auth',
  '/api/auth',
  '/api/profile',
  '/postern/start',
  '/postern/api/doctor/{probe}',
];
/** What the browser does with a response that cannot run: `fetch()`, a picture, a video, a sound (Fetch, "destination"). */
const DATA: readonly string[] = ['empty', 'image', 'video', 'audio'];

export interface HostFacts {
  readonly caller: Caller | undefined;
  readonly target: RequestTarget;
  readonly route: RouteMatch;
  /** The Host that the browser used, as far as the peer may say so. */
  readonly host: string;
}

/** Whether the request is for the other host name. `consoleHost` is lower-case and without port. */
export function isAtWrongHost(request: RequestFacts, question: HostFacts, consoleHost: string): boolean {
  if (request.listener === 'internal') return false;
  return hostName(question.host) === consoleHost ? !isOfConsole(request, question) : isForConsoleOnly(question);
}

/** The host name without port and without the dot of a full name: each spelling that a browser may send is the same host. */
const hostName = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

/**
 * Whether the request may come from the console: of the NVR's responses its scripts read data, and no page, frame, script or
 * worker.
 */
function isOfConsole(request: RequestFacts, { route }: HostFacts): boolean {
  if (request.linkSecret !== undefined || isOfLinks(route)) return false;
  if (isServedHere(route) || request.isUpgrade) return true;
  return (
    request.method === 'GET' &&
    singleHeader(request, 'sec-fetch-site') === 'same-origin' &&
    DATA.includes(singleHeader(request, 'sec-fetch-dest') ?? '')
  );
}

const isOfLinks = (route: RouteMatch): boolean => isOwn(route) && route.row.path.startsWith(`${LINK_PATH}/`);

function isForConsoleOnly({ caller, target, route }: HostFacts): boolean {
  if (!isOwn(route) || !isServedHere(route)) return false;
  const { access, path } = route.row;
  if (access === 'public') return isPageOfConsole(path, target);
  return areCredentialsAutomatic(caller) && !ON_EVERY_HOST.includes(path);
}

/** The login page is on both, so its assets are too; a display needs its page where its cameras are. */
const isPageOfConsole = (path: string, { segments }: RequestTarget): boolean =>
  path.startsWith(`${INVITATION_PATH}/`) ||
  (path !== SCREEN_PATH &&
    (path === '/postern' || path.startsWith('/postern/')) &&
    !(segments[1] === 'assets' || segments[1] === 'login'));
