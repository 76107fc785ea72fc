/** One camera of the wall: its live stream (MP4 in pieces over a WebSocket) or its still image each second, and what is wrong when none comes (SPEC 18). */
import { cameraAddress, type PageFacts } from '../page-facts.ts';

/** Makes an element with a class, a text and what follows it. */
export function make(tag: string, className: string, text = '', ...children: readonly Node[]): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  for (const child of children) element.appendChild(child);
  return element;
}

const EVERY_MS = 1000;
const LONGEST_PAUSE_MS = 2500;
const PATIENCE_MS = 7000;
/** An older picture is not to be taken for one of now. */
const OLD_MS = 6000;
/** The NVR scales a picture to the height that is asked for; a few heights are enough. */
const FIRST_HEIGHT = 180;
const HEIGHTS: readonly number[] = [FIRST_HEIGHT, 270, 360, 540, 720, 1080];

/** The live streams of more cameras would be too much for a small computer. */
export const MOST_LIVE = 9;

/** Where pictures of cameras come from. */
export interface PictureSource extends Pick<PageFacts, 'still' | 'live'> {
  /** The prefix of all paths; '' for none. */
  readonly basePath: string;
  /** Said in the place of a picture. */
  readonly noPicture: string;
  /** Called with the address of each still image, and whether it came. */
  readonly onPicture?: (address: string, isGood: boolean) => void;
}

interface TileState {
  /** It asks for pictures while it is seen: what is asked for counts as watched (SPEC 14). */
  readonly isSeen: boolean;
  /** Its live stream is played, and still images come only while that does not move. */
  readonly isLive: boolean;
  /** It fills the screen. */
  readonly isFull: boolean;
  /** What is said when the camera is not shown to this person or display any more; '' while it is. */
  readonly gone: string;
}
export const UNSEEN: TileState = { isSeen: false, isLive: false, isFull: false, gone: '' };

/** `name`: the camera's, as people call it. `fill`: a finger, a pointer, and the middle key of a remote control call it. */
export function createTile(camera: string, name: string, source: PictureSource, fill: (isFull: boolean) => void) {
  const { basePath, still, live, noPicture, onPicture } = source;
  const element = make('button', 'camera-tile');
  element.setAttribute('type', 'button');
  // Two pictures in turn: the one that is loading is not seen, and memory stays as it is.
  const pictures = [document.createElement('img'), document.createElement('img')] as const;
  const video = document.createElement('video');
  const fault = make('span', 'camera-fault');
  for (const picture of pictures) picture.alt = '';
  for (const part of [...pictures, video, make('bdi', 'camera-name', name), fault]) element.appendChild(part);
  let state = UNSEEN;
  let [isMoving, hasLooked, turn, failures, shownAt, timer] = [false, still === null, 0, 0, 0, 0];
  let stopLive: (() => void) | undefined;
  const isAsking = (): boolean => state.isSeen && state.gone === '';
  const nextPicture = (): HTMLImageElement => pictures[turn === 0 ? 0 : 1];
  const show = (shown?: Element): void => {
    for (const one of [...pictures, video]) one.className = one === shown ? 'is-shown' : '';
  };
  const mark = (text: string): void => {
    fault.textContent = text;
    element.classList.toggle('has-fault', text !== '');
  };
  const load = (): void => {
    if (!isAsking() || isMoving) return;
    // An NVR without still images has nothing to ask for.
    if (still === null) {
      mark(noPicture);
      return;
    }
    const picture = nextPicture();
    const begun = Date.now();
    const end = (isGood: boolean) => (): void => {
      leave();
      hasLooked = true;
      failures = isGood ? 0 : failures + 1;
      if (isGood) {
        shownAt = Date.now();
        show(picture);
        turn = 1 - turn;
      }
      if (isGood || Date.now() - shownAt > OLD_MS) mark(isGood ? '' : noPicture);
      const pause = isGood ? EVERY_MS - (shownAt - begun) : Math.min(LONGEST_PAUSE_MS, EVERY_MS * failures);
      timer = window.setTimeout(load, Math.max(0, pause));
      followLive();
      if (onPicture) onPicture(picture.src, isGood);
    };
    timer = window.setTimeout(end(false), PATIENCE_MS);
    [picture.onload, picture.onerror] = [end(true), end(false)];
    // The first one is small: on a slow line it is there sooner.
    const wanted = element.clientHeight * (window.devicePixelRatio || 1);
    const height = shownAt === 0 ? FIRST_HEIGHT : HEIGHTS.find((one) => one >= wanted) || 1080;
    picture.src = basePath + cameraAddress(still, camera, height, begun);
  };
  const leave = (): void => {
    window.clearTimeout(timer);
    const picture = nextPicture();
    [picture.onload, picture.onerror] = [null, null];
  };
  /** What loads is given up; what is shown stays. */
  const giveUp = (): void => {
    leave();
    nextPicture().removeAttribute('src');
  };
  const onMove = (moves: boolean): void => {
    if (moves === isMoving) return;
    isMoving = moves;
    show(moves ? video : undefined);
    giveUp();
    if (moves) mark('');
    else load();
    if (moves && onPicture) onPicture('', true);
  };
  /** The stream begins after the first still image, which it would keep away on a slow line. */
  const followLive = (): void => {
    const isWanted = isAsking() && state.isLive && hasLooked;
    if (isWanted && live !== null && !stopLive)
      stopLive = playLive(basePath + cameraAddress(live, camera), video, onMove);
    if (isWanted || !stopLive) return;
    stopLive();
    stopLive = undefined;
  };
  element.addEventListener('click', () => fill(!state.isFull));
  element.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' || key === 'Backspace') fill(false);
  });
  return {
    element,
    set(wanted: TileState): void {
      const wasAsking = isAsking();
      state = wanted;
      element.classList.toggle('is-full', state.isFull);
      if (wasAsking && !isAsking()) giveUp();
      followLive();
      if (state.gone !== '') {
        show();
        mark(state.gone);
      }
      if (wasAsking || !isAsking()) return;
      if (Date.now() - shownAt > OLD_MS) show();
      load();
    },
  };
}

export type Tile = ReturnType<typeof createTile>;

/** H.264 and H.265, as the stream server of the NVR names them. It answers with the one that the camera sends. */
const CODECS: readonly string[] = ['avc1.640029', 'hvc1.1.6.L153.B0'];

const CHECK_MS = 1000;
/** A stream that stands still for so long is given up: the browser cannot play it, or nothing comes any more. */
const STALLED_MS = 5000;
const PAUSE_MS = 5000;
const LONGEST_WAIT_MS = 60_000;
/** Further behind than this, the player jumps to what came last. */
const LATE_SECONDS = 3;
/** What was played is kept so long. */
const KEPT_SECONDS = 10;
/** Some twenty seconds of video that the browser has not taken yet. */
const MOST_WAITING = 500;

/**
 * It plays for as long as it can, and tries again and again, until the function that it returns is called. `onChange` is called
 * with true when pictures begin to move, and with false when they stop. Undefined where the browser plays no such stream.
 */
function playLive(path: string, video: HTMLVideoElement, onChange: (isMoving: boolean) => void) {
  const codecs = CODECS.filter((codec) => isPlayable(`video/mp4; codecs="${codec}"`)).join(',');
  if (codecs === '') return undefined;
  video.muted = true;
  video.setAttribute('playsinline', '');
  let [failures, position, movedAt, timer] = [0, 0, 0, 0];
  let close: (() => void) | undefined;
  const begin = (): void => {
    [position, movedAt] = [0, Date.now()];
    close = receive(path, codecs, video, fail);
  };
  const end = (): void => {
    if (close) close();
    close = undefined;
    onChange(false);
  };
  const fail = (): void => {
    if (!close) return;
    end();
    failures += 1;
    timer = window.setTimeout(begin, Math.min(LONGEST_WAIT_MS, PAUSE_MS * failures));
  };
  const checking = window.setInterval(() => {
    if (!close) return;
    if (video.currentTime === position) {
      if (Date.now() - movedAt > STALLED_MS) fail();
      return;
    }
    // The first step is the jump to where the stream begins.
    if (position > 0) {
      failures = 0;
      onChange(true);
    }
    [position, movedAt] = [video.currentTime, Date.now()];
  }, CHECK_MS);
  begin();
  return () => {
    window.clearInterval(checking);
    window.clearTimeout(timer);
    end();
  };
}

const isPlayable = (type: string): boolean => 'MediaSource' in window && MediaSource.isTypeSupported(type);

/** Plays one connection. `onFault` may be called more than once; returns the function that ends it. */
function receive(path: string, codecs: string, video: HTMLVideoElement, onFault: () => void): () => void {
  const source = new MediaSource();
  const address = URL.createObjectURL(source);
  const waiting: ArrayBuffer[] = [];
  let [socket, buffer]: [WebSocket | undefined, SourceBuffer | undefined] = [undefined, undefined];
  /** What a browser throws here (its memory is full, a type that it does not play) ends the connection. */
  const orFault = (act: () => void): void => {
    try {
      act();
    } catch {
      onFault();
    }
  };
  const feed = (): void => {
    if (!buffer || buffer.updating || source.readyState !== 'open') return;
    const piece = waiting.shift();
    if (piece) buffer.appendBuffer(piece);
    else stayNear(buffer, video);
  };
  const heard = ({ type, value }: { readonly type?: unknown; readonly value?: unknown }): void => {
    if (type === 'error') onFault();
    if (type !== 'mse' || buffer) return;
    buffer = source.addSourceBuffer(String(value));
    buffer.addEventListener('updateend', () => orFault(feed));
    // A browser that refuses leaves the picture standing still, which is noticed.
    Promise.resolve(video.play()).catch(() => undefined);
  };
  source.addEventListener('sourceopen', () => {
    if (socket) return;
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const opened = new WebSocket(`${scheme}://${location.host}${path}`);
    socket = opened;
    opened.binaryType = 'arraybuffer';
    opened.onopen = () => opened.send(JSON.stringify({ type: 'mse', value: codecs }));
    opened.onclose = onFault;
    opened.onmessage = ({ data }) =>
      orFault(() => {
        if (typeof data === 'string') return heard(JSON.parse(data));
        if (waiting.push(data) > MOST_WAITING) return onFault();
        feed();
      });
  });
  video.src = address;
  return () => {
    URL.revokeObjectURL(address);
    if (socket) {
      socket.onclose = null;
      socket.onmessage = null;
      socket.close();
    }
    video.removeAttribute('src');
    video.load();
  };
}

/** A live stream is seen as it is now, and memory stays as it is. */
function stayNear(buffer: SourceBuffer, video: HTMLVideoElement): void {
  const { buffered } = buffer;
  if (buffered.length === 0) return;
  const [first, last] = [buffered.start(0), buffered.end(buffered.length - 1)];
  if (last - video.currentTime > LATE_SECONDS) video.currentTime = Math.max(first, last - 0.5);
  else if (video.currentTime < first) video.currentTime = first;
  if (video.currentTime - first > 2 * KEPT_SECONDS) buffer.remove(first, video.currentTime - KEPT_SECONDS);
}
