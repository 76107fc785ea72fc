/** Failed logins per hour, as small bars: a shape tells more than a number whether somebody is guessing. */
import { sayTick } from '../shared/times.ts';
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
            <title>{`${sayTick(start, HOUR)}: ${count}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="failure-ends field-help">
        <span>{first && sayTick(first.start, HOUR)}</span>
        <span>{words.status.most(most)}</span>
        <span>{last && sayTick(last.start, HOUR)}</span>
      </figcaption>
    </figure>
  );
}

const tall = (share: number) => ({ y: HEIGHT - Math.max(3, HEIGHT * share), height: Math.max(3, HEIGHT * share) });
