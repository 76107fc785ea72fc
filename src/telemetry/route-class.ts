/** The kind of route of a request, as a metric label: ten kinds, so no request can make a new series (SPEC 9). */
import type { RouteClass } from './metric-labels.ts';

// biome-ignore format: a table
const WHOLE_PATHS: ReadonlyMap<string, RouteClass> = new Map([
  ['/login', 'login'],   ['/api/login', 'login'],
  ['/logout', 'logout'], ['/api/logout', 'logout'],
  ['/auth', 'auth'],     ['/api/auth', 'auth'],
  ['/api/profile', 'profile'],
  ['/api/events/changes', 'live'],
]);

// biome-ignore format: a table
const FIRST_SEGMENTS: ReadonlyMap<string, RouteClass> = new Map([
  ['api', 'api'],       ['live', 'live'],
  ['vod', 'media'],     ['clips', 'media'],  ['recordings', 'media'], ['exports', 'media'],
  ['assets', 'static'], ['fonts', 'static'], ['images', 'static'],    ['locales', 'static'], ['notifications-worker.js', 'static'],
]);

const OWN_ASSETS = '/postern/assets/';
/** The NVR's pictures and films, and its front end's own files. */
const PICTURE = /\.(?:jpe?g|png|webp|gif|mp4)$/i;
const FILE_AT_ROOT = /^\/[^/]+\.[a-z0-9]+$/i;

export function routeClassOf(target: string, isUpgrade: boolean): RouteClass {
  if (isUpgrade) return 'ws';
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  const whole = WHOLE_PATHS.get(path);
  if (whole) return whole;
  const slash = path.indexOf('/', 1);
  const kind = FIRST_SEGMENTS.get(path.slice(1, slash < 0 ? path.length : slash));
  if (kind === 'api') return PICTURE.test(path) ? 'media' : 'api';
  if (kind) return kind;
  return path.startsWith(OWN_ASSETS) || FILE_AT_ROOT.test(path) ? 'static' : 'other';
}
