/** Failed logins per hour as small bars, so that password guessing is visible at a glance. */
import { formatTick } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import { type HourBar, lastHours } from './read-status.ts';

const HEIGHT = 48;
const STEP = 12;
const BAR = 9;
const HOUR = 3600;

export function FailurePlot({ counted, now }: { counted: readonly HourBar[]; now: number }) {
  const hours = lastHours(counted, now);
  const most = Math.max(...hours.map(({ count }) => count));
  if (most === 0) return <p>{words.status.noLoginFailures}</p>;
  const [first, last] = [hours[0], hours.at(-1)];
  return (
    <figure class="failure-plot">
      <svg viewBox={`0 0 ${hours.length * STEP} ${HEIGHT}`} role="img" aria-label={words.status.most(most)}>
        {hours.map(({ start, count }, at) => (
          <rect
            key={start}
            class={count > 0 ? 'failure-bar' : 'failure-none'}
            x={at * STEP}
            width={BAR}
            rx="1.5"
            {...(count > 0 ? tall(count / most) : { y: HEIGHT - 2, height: 2 })}
          >
            <title>{`${formatTick(start, HOUR)}: ${count}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="failure-ends field-help">
        <span>{first && formatTick(first.start, HOUR)}</span>
        <span>{words.status.most(most)}</span>
        <span>{last && formatTick(last.start, HOUR)}</span>
      </figcaption>
    </figure>
  );
}

const tall = (share: number) => ({ y: HEIGHT - Math.max(3, HEIGHT * share), height: Math.max(3, HEIGHT * share) });
