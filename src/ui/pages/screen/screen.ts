/** The page of a display: it is paired by a person with a phone, and then shows its cameras (SPEC 18). */
import { after, ask } from './ask.ts';
import { pair } from './pair.ts';
import { followUpdates, showConnecting, showWall, stayAwake } from './wall.ts';

const RETRY_SECONDS = 5;

async function start(): Promise<void> {
  const again = (): void => void start();
  const { status, body } = await ask('GET', '/api/profile');
  if (status === 200) return showWall(body, again);
  if (status === 401 || status === 403) return pair(again);
  showConnecting();
  after(RETRY_SECONDS, again);
}

document.body.className = 'screen';
stayAwake();
followUpdates();
void start();
