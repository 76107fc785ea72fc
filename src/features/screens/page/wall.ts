/** The wall: all cameras of the screen in the best grid, which looks after itself for months (SPEC 18). */

import { createTile, MOST_LIVE, make, type Tile, UNSEEN } from '../../../ui/pages/shared/cameras/tile.ts';
import { after, ask, facts, linkToForm, type ScreenAnswer, show, showMessage } from './ask.ts';
import { bestGrid, dimHours, isDim } from './screen-facts.ts';

const MOST_CAMERAS = 36;
/** The cameras of the screen are asked for so often, which renews its cookie, too. */
const LOOK_SECONDS = 30;
const RETRY_SECONDS = 5;
/** A new version of Postern has another page. */
const UPDATE_SECONDS = 600;

/** `profile` is the answer of `/api/profile`; `onOver` is called once, when the display is not paired any more. */
export function showWall(profile: ScreenAnswer['body'], onOver: () => void): void {
  const wall = make('main', 'screen-wall');
  const clock = make('time', 'screen-clock');
  const more = make('p', 'screen-more');
  const tiles: Record<string, Tile> = {};
  let cameras: readonly string[] = [];
  let full: string | undefined;
  const isLive = !/[?&]live=off(?:&|$)/.test(location.search);
  const isOfPerson = profile['screen'] === undefined;
  show(wall, more, clock, ...(isOfPerson ? [personNotice(String(profile['username']))] : []));

  const shape = (): void => {
    const { columns, rows } = bestGrid(wall.children.length, window.innerWidth, window.innerHeight);
    wall.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    wall.style.gridTemplateRows = `repeat(${rows}, minmax(0, 1fr))`;
  };
  const draw = (): void => {
    for (const camera of Object.keys(tiles)) {
      const { element, set } = tiles[camera] as Tile;
      const isFull = camera === full;
      const isGone = cameras.indexOf(camera) < 0;
      const gone = isGone ? facts.words.gone.replace('{camera}', () => element.getAttribute('aria-label') || '') : '';
      set({ isSeen: true, isLive: isLive && (isFull || cameras.length <= MOST_LIVE), isFull, gone });
    }
  };
  const list = (body: ScreenAnswer['body']): void => {
    const { allowed_cameras: listed } = body;
    const all = Array.isArray(listed) ? listed.map(String) : [];
    cameras = all.slice(0, MOST_CAMERAS);
    const left = all.length - cameras.length;
    more.textContent = left > 0 ? facts.words.more.replace('{number}', String(left)) : '';
    const names = (body['camera_names'] || {}) as Record<string, string>;
    for (const camera of cameras) {
      if (tiles[camera]) continue;
      const source = { ...facts, noPicture: facts.words.noPicture };
      const tile = createTile(camera, names[camera] || camera, source, (isFull) => {
        full = isFull ? camera : undefined;
        draw();
      });
      tiles[camera] = tile;
      wall.appendChild(tile.element);
    }
    if (wall.children.length === 0) wall.appendChild(make('p', 'screen-message', facts.words.noCameras));
    else if (cameras.length > 0) for (const message of [...wall.querySelectorAll('.screen-message')]) message.remove();
    shape();
    draw();
  };
  const look = async (): Promise<void> => {
    const { status, body } = await ask('GET', '/api/profile');
    if (status === 401 || status === 403) {
      for (const camera of Object.keys(tiles)) tiles[camera]?.set(UNSEEN);
      window.clearInterval(ticking);
      window.removeEventListener('resize', shape);
      return onOver();
    }
    if (status === 200) list(body);
    after(status === 200 ? LOOK_SECONDS : RETRY_SECONDS, () => void look());
  };
  const hours = dimHours(location.search);
  const tick = (): void => {
    const now = new Date();
    clock.textContent = now.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    document.body.className = isDim(hours, now.getHours()) ? 'screen is-dim' : 'screen';
  };
  const ticking = window.setInterval(tick, 1000);
  window.addEventListener('resize', shape);
  tick();
  list(profile);
  after(LOOK_SECONDS, () => void look());
}

/** The session of a person counts before the screen: a display on a wall should have none. */
function personNotice(name: string): HTMLElement {
  const text = facts.words.loggedIn.replace('{name}', () => name);
  const button = make('button', 'screen-button', facts.words.logOut);
  button.addEventListener('click', async () => {
    await ask('POST', '/api/logout');
    location.reload();
  });
  return make('div', 'screen-person', text, button, linkToForm());
}

/** The same page again, when its script has another name. */
export function followUpdates(): void {
  after(UPDATE_SECONDS, () => {
    const request = new XMLHttpRequest();
    request.open('GET', location.pathname);
    request.onload = () => {
      const script = document.querySelector('script[src]');
      const name = script ? String(script.getAttribute('src')) : '';
      if (request.status === 200 && request.responseText.indexOf(name) < 0) location.reload();
      else followUpdates();
    };
    request.onerror = followUpdates;
    request.send();
  });
}

/** The display stays on, where its browser can do that; the lock ends each time that the page is hidden. */
export function stayAwake(): void {
  const lock = (): void => {
    const { wakeLock } = navigator as { wakeLock?: { request(kind: 'screen'): Promise<unknown> } };
    if (wakeLock && document.visibilityState === 'visible') wakeLock.request('screen').catch(() => {});
  };
  document.addEventListener('visibilitychange', lock);
  lock();
}

export const showConnecting = (): void => showMessage(facts.words.connecting);
