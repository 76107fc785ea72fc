/** Live: the wall of screens inside the console, with the cameras that the person may see (SPEC 8, 18). */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, Redirect, useSearch, useSearchParams } from 'wouter-preact';
import { type FactorState, firstSteps, isAdmin, type Profile, useProfile } from '../shared/account.ts';
import type { RoleRecord } from '../shared/answers.ts';
import { getAutomatically, problemOf, useFetched, useList, useRefreshed, valueOr } from '../shared/api.ts';
import { basePath } from '../shared/browser.ts';
import { createTile, MOST_LIVE, type Tile, UNSEEN } from '../shared/cameras/tile.ts';
import { Problem, ToExplore, useNearness, usePageTitle } from '../shared/parts.tsx';
import { isAdminWithLogin, type OnLive, Slot } from '../shared/pieces.tsx';
import { cameraName, facts, words } from '../shared/words.ts';

/** An address with filters or an event is one of Explore, as it was when that was the first page. */
export function Live() {
  const search = useSearch();
  const isOwn = search === '' || new URLSearchParams(search).has('full');
  return isOwn ? <Wall /> : <Redirect to={`/explore?${search}`} replace />;
}

function Wall() {
  usePageTitle(words.ui.frame.live);
  const profile = useProfile();
  const [search, setSearch] = useSearchParams();
  // Other pages of the console know the cameras that were there when it started.
  const [fetched] = useRefreshed<Profile>('api/profile');
  const { allowed_cameras: cameras } = valueOr(fetched, profile);
  const [outage, onPicture] = useOutage();
  const problem = (cameras.length > 0 && outage) || (fetched.kind === 'ready' && fetched.stale);
  const known = useRef(new Set<string>()).current;
  for (const camera of cameras) known.add(camera);
  const [more, show] = useState<OnLive>();
  const full = cameras.find((camera) => camera === search.get('full'));
  const fill = (camera: string, isFull: boolean): void =>
    setSearch(isFull ? { full: camera } : {}, { replace: !isFull });
  const shown = facts.still === null && facts.live === null ? [] : [...known];
  return (
    <section class="records-page">
      <header class="page-head wall-head">
        {isAdminWithLogin(profile) && <ToFirstSteps />}
        <h1>{words.ui.frame.live}</h1>
        <div class="row">
          {shown.length > 0 && <Slot name="live" {...{ cameras, show }} />}
          {isAdminWithLogin(profile) && (
            <Link class="button" href="/settings/users?invite">
              {words.invitations.invite}
            </Link>
          )}
        </div>
      </header>
      {more && <Problem text={more.problem} />}
      {problem && (
        <p class="notice notice-warn" role="alert">
          {problem} {isAdmin(profile) && <Link href="/status">{words.ui.frame.status}</Link>}
        </p>
      )}
      {shown.length === 0 && <ToExplore title={words.live.noneTitle} message={words.live.none} isPart />}
      <ul class={`wall wall-${Math.min(Math.ceil(Math.sqrt(shown.length)), 4)}`}>
        {shown.map((camera) => (
          <li key={camera} class="wall-camera">
            <Picture {...{ camera, cameras, full, fill, onPicture }} />
            {more?.onCamera.get(camera)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The way to the first steps that an admin has not taken yet, as Overview lists them: asked for after the pictures. */
function ToFirstSteps() {
  const [isAsked, setIsAsked] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setIsAsked, 3000, true);
    return () => clearTimeout(timer);
  }, []);
  const factors = valueOr(useFetched<FactorState | undefined>(isAsked && 'api/second-factor')[0], undefined);
  const people = valueOr(useList<RoleRecord>(isAsked && 'api/roles')[0], []).reduce((sum, { users }) => sum + users, 0);
  const steps = factors && people > 0 ? firstSteps(factors, people > 1) : [];
  const left = steps.filter(([, isTaken]) => !isTaken).length;
  if (left === 0) return null;
  return (
    <p class="first-steps">
      <Link href="/settings/account">{words.account.steps}</Link> {words.account.left({ left, all: steps.length })}
    </p>
  );
}

/** `cameras`: what the person may see now. `full`: the camera that fills the screen. */
interface PictureProps {
  readonly camera: string;
  readonly cameras: readonly string[];
  readonly full: string | undefined;
  readonly fill: (camera: string, isFull: boolean) => void;
  readonly onPicture: (address: string, isGood: boolean) => void;
}

/** So long after a picture, and after a question, no failure is asked about. */
const QUIET_MS = 10_000;

/** Why no picture comes at all, '' while one does; and what is to be told of each picture. */
function useOutage(): readonly [problem: string, onPicture: PictureProps['onPicture']] {
  const [problem, setProblem] = useState('');
  const askAt = useRef(0);
  const goods = useRef(0);
  const onPicture = async (address: string, isGood: boolean): Promise<void> => {
    if (!isGood && Date.now() < askAt.current) return;
    askAt.current = Date.now() + QUIET_MS;
    if (isGood) goods.current += 1;
    const before = goods.current;
    // An image does not say why it failed. What one camera alone cannot do is said by its tile.
    const answer = isGood ? undefined : await getAutomatically(address);
    // A picture that came meanwhile says more.
    if (before !== goods.current) return;
    const isOut = answer?.kind === 'unreachable' || (answer?.kind === 'refused' && answer.status >= 502);
    setProblem(isOut ? problemOf(answer) : '');
  };
  return [problem, (...told) => void onPicture(...told)];
}

/** The tile of the wall. */
function Picture({ camera, cameras, full, fill, onPicture }: PictureProps) {
  const place = useRef<HTMLDivElement>(null);
  const tile = useRef<Tile>(null);
  const latest = useRef(fill);
  latest.current = fill;
  const name = cameraName(camera);
  const isGone = !cameras.includes(camera);
  const isFull = camera === full;
  const isLive = isFull || cameras.length <= MOST_LIVE;
  // Another one may cover it.
  const isSeen = (useIsSeen(place) && full === undefined) || isFull;
  useEffect(() => {
    const source = { ...facts, basePath: basePath.slice(0, -1), noPicture: words.live.noPicture, onPicture };
    const made = createTile(camera, name, source, (wanted) => latest.current(camera, wanted));
    place.current?.replaceChildren(made.element);
    tile.current = made;
    return () => made.set(UNSEEN);
  }, [camera]);
  useEffect(() => {
    tile.current?.set({ isSeen, isLive, isFull, gone: isGone ? words.live.gone({ camera: name }) : '' });
    if (isFull) tile.current?.element.focus({ preventScroll: true });
  }, [isSeen, isLive, isFull, isGone]);
  return (
    <>
      <div class="wall-picture" ref={place} />
      {isFull && (
        <Link class="button wall-events" href={`/explore?${new URLSearchParams({ camera })}`}>
          {words.live.eventsOf({ camera: name })}
        </Link>
      )}
    </>
  );
}

/** Whether a part of it is in the window, and the window on the screen. */
function useIsSeen(place: RefObject<HTMLElement | null>): boolean {
  const [isInWindow, setIsInWindow] = useState(false);
  const [isHidden, setIsHidden] = useState(document.hidden);
  useNearness(place, '0px', setIsInWindow, []);
  useEffect(() => {
    const onSight = (): void => setIsHidden(document.hidden);
    document.addEventListener('visibilitychange', onSight);
    return () => document.removeEventListener('visibilitychange', onSight);
  }, []);
  return isInWindow && !isHidden;
}
