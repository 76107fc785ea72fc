/** The page of a display: it is paired by a person with a phone, and then shows its cameras (SPEC 18). */

import { make } from '../../../ui/pages/shared/cameras/tile.ts';
import { after, ask, facts, linkToForm, type ScreenAnswer, show, showMessage } from './ask.ts';
import { followUpdates, showConnecting, showWall, stayAwake } from './wall.ts';

const RETRY_SECONDS = 5;
/** A person who has denied it should see so. */
const DENIED_SECONDS = 30;

async function start(): Promise<void> {
  const again = (): void => void start();
  const { status, body } = await askWithoutOldSession();
  if (status === 200) return showWall(body, again);
  if (status === 401 || status === 403) return pair(again);
  showConnecting();
  after(RETRY_SECONDS, again);
}

/** The session of a person who logged in here counts before the screen, also when it is over: then it is forgotten. */
async function askWithoutOldSession(): Promise<ScreenAnswer> {
  const answer = await ask('GET', '/api/profile');
  if (answer.status !== 401 || answer.body['reason'] === 'screen-over') return answer;
  await ask('POST', '/api/logout');
  return ask('GET', '/api/profile');
}

/**
 * Pairs the display: a QR code and letters for a person with a phone, then polls until the person has answered. `start` is
 * called once: when the display is paired, and when it needs another code. The cookie of before may show cameras
 * again by then, because its maker got them back.
 */
async function pair(start: () => void): Promise<void> {
  const { status, body } = await ask('POST', '/api/screens/code');
  if (status !== 200) {
    showMessage(status === 404 ? facts.words.noAccounts : facts.words.connecting);
    after(status === 429 ? 60 : RETRY_SECONDS, start);
    return;
  }
  showCode(body);
  poll(String(body['device_code']), Number(body['interval']) || RETRY_SECONDS, start);
}

function showCode(body: Readonly<Record<string, unknown>>): void {
  const { words } = facts;
  const [before = '', behind = ''] = words.lead.split('{address}');
  const address = make('bdi', 'screen-address', addressText(String(body['verification_uri'])));
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

/** The address less its scheme: it is read from afar. */
const addressText = (address: string): string => address.replace(/^https?:\/\//, '');

function poll(device_code: string, seconds: number, start: () => void): void {
  const look = async (): Promise<void> => {
    const { status, body } = await ask('POST', '/api/screens/token', { device_code });
    if (status === 200) return start();
    if (status !== 400) return poll(device_code, seconds, start);
    switch (body['error']) {
      case 'authorization_pending':
        return poll(device_code, seconds, start);
      case 'slow_down':
        return poll(device_code, seconds + RETRY_SECONDS, start);
      case 'access_denied':
        showMessage(facts.words.denied);
        return void after(DENIED_SECONDS, start);
      default:
        return start();
    }
  };
  after(seconds, () => void look());
}

document.body.className = 'screen';
stayAwake();
followUpdates();
void start();
