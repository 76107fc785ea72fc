/** One camera of the wall: its live stream or its still image each second, and what is wrong when none comes (SPEC 18). */
import { facts, make } from './ask.ts';
import { playLive } from './live.ts';
import { cameraAddress } from './screen-facts.ts';

const EVERY_MS = 1000;
const LONGEST_PAUSE_MS = 2500;
const PATIENCE_MS = 7000;
/** An older picture is not to be taken for one of now. */
const OLD_MS = 6000;
/** The NVR scales a picture to the height that is asked for; a few heights are enough. */
const HEIGHTS: readonly number[] = [180, 270, 360, 540, 720, 1080];

/** `isLive`: its live stream is played, and still images come only while that does not move. */
export function createTile(camera: string, name: string, isLive: boolean) {
  const element = make('div', 'screen-tile');
  element.tabIndex = 0;
  // Two pictures in turn: the one that is loading is not seen, and memory stays as it is.
  const pictures = [document.createElement('img'), document.createElement('img')] as const;
  const fault = make('p', 'screen-fault');
  for (const picture of pictures) {
    picture.alt = name;
    element.appendChild(picture);
  }
  let [isStopped, isMoving, turn, failures, shownAt] = [false, false, 0, 0, 0];
  let timer = 0;
  const live = isLive && facts.live !== null ? playLive(facts.live, camera, (moves) => change(moves)) : undefined;
  if (live) element.appendChild(live.element);
  element.appendChild(make('bdi', 'screen-name', name));
  element.appendChild(fault);
  const hide = (): void => {
    for (const shown of [...element.querySelectorAll('.is-shown')]) shown.className = '';
  };
  const change = (moves: boolean): void => {
    isMoving = moves;
    hide();
    if (live && moves) live.element.className = 'is-shown';
    if (moves) mark('');
    else next(0);
  };
  const next = (milliseconds: number): void => {
    window.clearTimeout(timer);
    if (!isStopped) timer = window.setTimeout(load, milliseconds);
  };
  const { still } = facts;
  const load = (): void => {
    // An NVR without still images has nothing to ask for.
    if (still === null) {
      mark(facts.words.noPicture);
      return;
    }
    const picture = pictures[turn === 0 ? 0 : 1];
    const begun = Date.now();
    let isOver = false;
    const end = (isGood: boolean) => (): void => {
      if (isOver) return;
      isOver = true;
      window.clearTimeout(patience);
      picture.onload = null;
      picture.onerror = null;
      if (isStopped || isMoving) return;
      if (isGood) came(begun);
      else failed();
    };
    const patience = window.setTimeout(end(false), PATIENCE_MS);
    picture.onload = end(true);
    picture.onerror = end(false);
    picture.src = facts.basePath + cameraAddress(still, camera, heightOf(element), begun);
  };
  const came = (begun: number): void => {
    pictures[turn === 0 ? 0 : 1].className = 'is-shown';
    turn = 1 - turn;
    pictures[turn === 0 ? 0 : 1].className = '';
    failures = 0;
    shownAt = Date.now();
    mark('');
    next(Math.max(0, EVERY_MS - (shownAt - begun)));
  };
  const failed = (): void => {
    failures += 1;
    if (Date.now() - shownAt > OLD_MS) mark(facts.words.noPicture);
    next(Math.min(LONGEST_PAUSE_MS, EVERY_MS * failures));
  };
  const mark = (text: string): void => {
    fault.textContent = text;
    if (text === '') element.classList.remove('has-fault');
    else element.classList.add('has-fault');
  };
  const stop = (): void => {
    isStopped = true;
    window.clearTimeout(timer);
    if (live) live.stop();
    for (const picture of pictures) picture.removeAttribute('src');
  };
  load();
  return {
    element,
    /** No picture is asked for from now on. */
    stop,
    /** The camera is not shown to this display any more. */
    goes(): void {
      stop();
      hide();
      element.setAttribute('data-gone', '');
      mark(facts.words.gone.replace('{camera}', () => name));
    },
  };
}

export type Tile = ReturnType<typeof createTile>;

function heightOf(element: HTMLElement): number {
  const wanted = element.clientHeight * (window.devicePixelRatio || 1);
  const found = HEIGHTS.filter((height) => height >= wanted)[0];
  return found === undefined ? 1080 : found;
}
