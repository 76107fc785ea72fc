/** Whether new events come by themselves now, in a word; and what is wrong when they do not. */
import { goToLogin } from '../../shared/account/go-to-login.ts';
import { words } from '../../shared/words.ts';
import type { LineState } from './keep-line.ts';

export function LiveState({ state }: { state: LineState | undefined }) {
  return (
    <p class={`live live-${state ?? 'off'}`} role="status">
      {state !== undefined && state !== 'connecting' && <Said state={state} />}
    </p>
  );
}

function Said({ state }: { state: Exclude<LineState, 'connecting'> }) {
  if (state !== 'login-needed') return <span class="live-word">{words.explore.live[state]}</span>;
  return (
    <>
      <span class="live-word">{words.explore.live['login-needed']}</span>{' '}
      <button class="button button-plain" type="button" onClick={() => goToLogin(null)}>
        {words.explore.live.logIn}
      </button>
    </>
  );
}
