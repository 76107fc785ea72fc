/** The page of a display: it is paired by a person with a phone, and then shows its cameras (SPEC 18). */
import { type Answer, after, ask } from './ask.ts';
import { pair } from './pair.ts';
import { followUpdates, showConnecting, showWall, stayAwake } from './wall.ts';

const RETRY_SECONDS = 5;

async function start(): Promise<void> {
  const again = (): void => void start();
  const { status, body } = await askWithoutOldSession();
  if (status === 200) return showWall(body, again);
  if (status === 401 || status === 403) return pair(again);
  showConnecting();
  after(RETRY_SECONDS, again);
}

/** The session of a person who logged in here counts before the screen, also when it is over: then it is forgotten. */
async function askWithoutOldSession(): Promise<Answer> {
  const answer = await ask('GET', '/api/profile');
  if (answer.status !== 401 || answer.body['reason'] === 'screen-over') return answer;
  await ask('POST', '/api/logout');
  return ask('GET', '/api/profile');
}

document.body.className = 'screen';
stayAwake();
followUpdates();
void start();
