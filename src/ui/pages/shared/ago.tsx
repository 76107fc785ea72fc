/** How long ago a moment was, while that is within the last hour: it counts on by itself while the page is seen. */
import { useEffect, useState } from 'preact/hooks';
import { formatAgo } from './times.ts';

const HOUR_SECONDS = 3600;
const EVERY_MILLISECONDS = 20_000;

/** All that is shown: one clock for the page. */
const shown = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function onTick(tell: () => void): () => void {
  shown.add(tell);
  timer ??= setInterval(() => {
    if (!document.hidden) for (const one of shown) one();
  }, EVERY_MILLISECONDS);
  return () => {
    shown.delete(tell);
    if (shown.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** `time` in Unix seconds. */
export function Ago({ time }: { time: number }) {
  const [now, setNow] = useState(() => Date.now() / 1000);
  const isRecent = now - time < HOUR_SECONDS && time - now < HOUR_SECONDS;
  useEffect(() => (isRecent ? onTick(() => setNow(Date.now() / 1000)) : undefined), [isRecent]);
  return isRecent ? <span class="event-ago">{formatAgo(now - time)}</span> : null;
}
