/** A connection that says that something has changed, kept while the page is seen: a hidden tab has none (SPEC 8). */
import { pauseAfter } from '../../shared/line-rules.ts';
/** `refused`: this role sees nothing of it, or there is no such thing. */
export type LineEnd = 'lost' | 'refused' | 'login-needed';

/** `waiting`: it was lost, and is tried again. */
export type LineState = 'connecting' | 'open' | 'waiting' | 'refused' | 'login-needed';

export interface LineEvents {
  readonly onOpen: () => void;
  /** `newest`: the id of the newest event, where the service tells it. */
  readonly onChange: (newest?: string | null) => void;
  /** Called at most once. */
  readonly onEnd: (end: LineEnd) => void;
}

/** Returns the function that closes it; `onEnd` is not called after that. */
export type OpenLine = (events: LineEvents) => () => void;

export interface LineUser {
  readonly onState: (state: LineState) => void;
  readonly onChange: LineEvents['onChange'];
}

/** Returns the function that ends it all. */
export function keepLine(open: OpenLine, { onState, onChange }: LineUser): () => void {
  let close: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;

  const leave = (): void => {
    clearTimeout(timer);
    close?.();
    close = undefined;
  };
  const connect = (): void => {
    leave();
    let isOver = false;
    const closeThis = open({
      onOpen() {
        tries = 0;
        onState('open');
      },
      onChange,
      onEnd(end) {
        isOver = true;
        close = undefined;
        tries += 1;
        onState(end === 'lost' ? 'waiting' : end);
        if (end === 'lost') timer = setTimeout(connect, pauseAfter(tries, Math.random()));
      },
    });
    if (!isOver) close = closeThis;
  };
  const onSight = (): void => {
    tries = 0;
    if (document.hidden) leave();
    else connect();
  };
  document.addEventListener('visibilitychange', onSight);
  addEventListener('online', onSight);
  onState('connecting');
  onSight();
  return () => {
    document.removeEventListener('visibilitychange', onSight);
    removeEventListener('online', onSight);
    leave();
  };
}
