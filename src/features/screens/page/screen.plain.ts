/** The page of a display: it is paired by a person with a phone, and then shows its cameras (SPEC 18). Written for browsers of televisions: no later syntax than ES2018 is left in it. */
import { parsedJson } from '../../../domain/json.ts';
import { createTile, MOST_LIVE, make, type Tile, UNSEEN } from '../../../ui/pages/shared/cameras/tile.ts';
import { bestGrid, dimHours, isDim, type ScreenFacts } from './screen-facts.ts';

/** `status`: 0: nothing came back. */
type ScreenAnswer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

const facts: ScreenFacts = JSON.parse(document.body.getAttribute('data-facts') || '{}');

const RETRY_SECONDS = 5;
/** A person who has denied it should see so. */
const DENIED_SECONDS = 30;

/** Goes round for months. */
async function run(): Promise<never> {
  for (;;) {
    let answer = await ask('GET', '/api/profile');
    // The session of a person who logged in here counts before the screen, also when it is over: then it is forgotten.
    if (answer.status === 401 && answer.body['reason'] !== 'screen-over') {
      await ask('POST', '/api/logout');
      answer = await ask('GET', '/api/profile');
    }
    const { status, body } = answer;
    if (status === 200) await showWall(body);
    else if (status === 401 || status === 403) await pair();
    else {
      showMessage(facts.words.connecting);
      await pause(RETRY_SECONDS);
    }
  }
}

/**
 * Pairs the display: a QR code and letters for a person with a phone, then asks until the person has answered, or another code
 * is needed. The cookie of before may show cameras again by then, because its maker got them back.
 */
async function pair(): Promise<void> {
  const { status, body } = await ask('POST', '/api/screens/code');
  if (status !== 200) {
    showMessage(status === 404 ? facts.words.noAccounts : facts.words.connecting);
    return pause(status === 429 ? 60 : RETRY_SECONDS);
  }
  showCode(body);
  const { device_code } = body;
  for (let seconds = Number(body['interval']) || RETRY_SECONDS; ; ) {
    await pause(seconds);
    const answer = await ask('POST', '/api/screens/token', { device_code });
    const error = answer.status === 400 ? answer.body['error'] : 'authorization_pending';
    if (error === 'slow_down') seconds += RETRY_SECONDS;
    if (error === 'access_denied') {
      showMessage(facts.words.denied);
      await pause(DENIED_SECONDS);
    }
    const isAsked = error === 'slow_down' || error === 'authorization_pending';
    if (answer.status === 200 || !isAsked) return;
  }
}

function showCode(body: Readonly<Record<string, unknown>>): void {
  const { words } = facts;
  const [before = '', behind = ''] = words.lead.split('{address}');
  // Less its scheme: it is read from afar.
  const address = make('bdi', 'screen-address', String(body['verification_uri']).replace(/^https?:\/\//, ''));
  const code = make('p', 'screen-code', String(body['user_code']));
  code.setAttribute('translate', 'no');
  const text = make(
    'div',
    'screen-pair-text',
    '',
    make('h1', 'screen-title', words.title),
    make('p', 'screen-lead', before, address, document.createTextNode(behind)),
    code,
    make('p', 'screen-wait', words.waiting),
    linkToForm(),
  );
  const picture = document.createElement('img');
  picture.className = 'screen-qr';
  picture.alt = '';
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(String(body['qr']))}`;
  show(make('main', 'screen-pair', '', picture, text));
}

const MOST_CAMERAS = 36;
/** The cameras of the screen are asked for so often, which renews its cookie, too. */
const LOOK_SECONDS = 30;
/** A new version of Postern has another page. */
const UPDATE_SECONDS = 600;

/** `profile` is the answer of `/api/profile`. Until the display is not paired any more. */
async function showWall(profile: ScreenAnswer['body']): Promise<void> {
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
    const isCovered = isOfPerson && window.matchMedia('(max-width: 40em) and (pointer: coarse)').matches; // by its notice, in screen.css
    for (const camera of Object.keys(tiles)) {
      const { element, set } = tiles[camera] as Tile;
      const isFull = camera === full;
      const isGone = cameras.indexOf(camera) < 0;
      const gone = isGone ? facts.words.gone.replace('{camera}', () => element.getAttribute('aria-label') || '') : '';
      set({ isSeen: !isCovered, isLive: isLive && (isFull || cameras.length <= MOST_LIVE), isFull, gone });
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
  for (let status = 200; status !== 401 && status !== 403; ) {
    await pause(status === 200 ? LOOK_SECONDS : RETRY_SECONDS);
    const answer = await ask('GET', '/api/profile');
    status = answer.status;
    if (status === 200) list(answer.body);
  }
  for (const camera of Object.keys(tiles)) tiles[camera]?.set(UNSEEN);
  window.clearInterval(ticking);
  window.removeEventListener('resize', shape);
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
async function followUpdates(): Promise<void> {
  const script = document.querySelector('script[src]');
  const name = script ? String(script.getAttribute('src')) : '';
  for (let isSame = true; isSame; ) {
    await pause(UPDATE_SECONDS);
    const { status, text } = await fetchText(location.pathname);
    isSame = status !== 200 || text.indexOf(name) >= 0;
  }
  location.reload();
}

/** The display stays on, where its browser can do that; the lock ends each time that the page is hidden. */
function stayAwake(): void {
  const lock = (): void => {
    const { wakeLock } = navigator as { wakeLock?: { request(kind: 'screen'): Promise<unknown> } };
    if (wakeLock && document.visibilityState === 'visible') wakeLock.request('screen').catch(() => {});
  };
  document.addEventListener('visibilitychange', lock);
  lock();
}

const PATIENCE_SECONDS = 15;

/** `path` below the base path. */
async function ask(method: 'GET' | 'POST', path: string, sent?: object): Promise<ScreenAnswer> {
  const { status, text } = await fetchText(`${facts.basePath}${path}`, {
    method,
    headers: {
      Accept: 'application/json',
      'X-CSRF-TOKEN': '1',
      // A page that is left open must not keep the session of a person alive.
      'X-Postern-Automatic': '1',
      ...(sent && { 'Content-Type': 'application/json' }),
    },
    ...(sent && { body: JSON.stringify(sent) }),
  });
  return { status, body: Object(parsedJson(text)) };
}

/** A request that hangs is given up: no person at a display loads its page again. */
const fetchText = (path: string, options?: RequestInit): Promise<{ status: number; text: string }> =>
  new Promise((resolve) => {
    const fail = (): void => resolve({ status: 0, text: '' });
    void pause(PATIENCE_SECONDS).then(fail);
    fetch(path, { credentials: 'same-origin', ...options })
      .then(async (response) => resolve({ status: response.status, text: await response.text() }))
      .catch(fail);
  });

const pause = (seconds: number): Promise<void> => new Promise((end) => window.setTimeout(end, seconds * 1000));

/** Shows these alone. */
function show(...elements: readonly HTMLElement[]): void {
  document.body.textContent = '';
  for (const element of elements) document.body.appendChild(element);
}

/** A person with a phone may come here, too: by the address that a display shows. */
function linkToForm(): HTMLElement {
  const link = make('a', 'screen-link', facts.words.enter);
  link.setAttribute('href', `${facts.basePath}/pair`);
  return link;
}

/** One sentence in the middle. */
const showMessage = (text: string): void => show(make('p', 'screen-message', text));

document.body.className = 'screen';
stayAwake();
void followUpdates();
void run();
