/** Status: reachability of all parts, configuration warnings, recent errors (SPEC 8). */

import { type LimitRecord, recordsIn } from '../settings/account-records.ts';
import { PageHead } from '../settings/page.tsx';
import type { Profile } from '../shared/account/profile.ts';
import { Icon } from '../shared/icon.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { formatShortMoment, formatTick, formatTime } from '../shared/times.ts';
import { type FetchedAgain, useRefreshed } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { AddressCheck } from './address-check.tsx';
import { Blocks } from './blocks.tsx';
import { Curtain } from './curtain.tsx';
import { type CurtainState, readCurtain } from './read-curtain.ts';
import { type HourBar, lastHours, type ReadStatus, readStatus } from './read-status.ts';
import { Certificate, Limiter, Reached, Versions } from './service-tiles.tsx';
import { Listed, Tile } from './tile.tsx';

export function Status({ profile }: { profile: Profile }) {
  const [fetched, again] = useRefreshed('api/status', (body) => ({ status: readStatus(body), at: Date.now() / 1000 }));
  const curtain = useRefreshed('api/curtain', readCurtain);
  const limits = useRefreshed('api/status/limits', recordsIn<LimitRecord>);
  // All tiles come at once: one that grows would push the others away.
  const isLoading = [fetched, curtain[0], limits[0]].some(({ kind }) => kind === 'loading');
  usePageTitle(words.status.title);
  return (
    <section class="records-page">
      <PageHead
        title={words.status.title}
        lead={
          fetched.kind === 'ready' && !isLoading
            ? `${words.status.lead} ${words.status.asOf({ time: formatTime(fetched.value.at) })}`
            : words.status.lead
        }
        actions={
          <button class="button" type="button" onClick={again}>
            <Icon name="refresh" />
            {words.status.refresh}
          </button>
        }
      />
      {isLoading && <p class="starting">{words.ui.common.loading}</p>}
      {fetched.kind === 'failed' && (
        <div class="blank" role="alert">
          <h2>{words.settings.cannotLoad}</h2>
          <p>{fetched.problem}</p>
        </div>
      )}
      {fetched.kind === 'ready' && fetched.stale !== undefined && (
        <p class="notice notice-warn" role="alert">
          {words.status.stale({ problem: fetched.stale })}
        </p>
      )}
      {fetched.kind === 'ready' && !isLoading && (
        <Components
          {...{ curtain, limits }}
          cameras={profile.cameras}
          status={fetched.value.status}
          now={fetched.value.at}
          onChange={again}
        />
      )}
    </section>
  );
}

interface ComponentsProps {
  readonly status: ReadStatus;
  readonly curtain: FetchedAgain<CurtainState>;
  readonly limits: FetchedAgain<readonly LimitRecord[]>;
  readonly cameras: readonly string[];
  readonly now: number;
  readonly onChange: () => void;
}

const Components = ({ status, curtain, limits, cameras, now, onChange }: ComponentsProps) => (
  <div class="tiles">
    <Reached title={words.status.nvr} reach={status.nvr} more={status.versions?.nvr ?? undefined} />
    <Reached title={words.status.store} reach={status.store} />
    <Reached title={words.status.events} reach={status.events} />
    <Versions status={status} />
    <Certificate certificate={status.certificate} />
    <Limiter limiter={status.limiter} />
    <Blocks limits={limits} onLift={onChange} />
    <Curtain {...{ curtain, cameras }} />
    <AddressCheck url={status.publicUrl} />
    <Tile title={words.status.warnings} isTold={status.warnings !== undefined} isWide>
      <p class="field-help">{words.status.warningsWhy}</p>
      <Listed
        none={words.status.noWarnings}
        rows={(status.warnings ?? []).map(({ key, message }) => (
          <>
            {key !== null && <code class="badge badge-warn">{key}</code>} <bdi>{message}</bdi>
          </>
        ))}
      />
    </Tile>
    <Tile title={words.status.loginFailures} isTold={status.loginFailures !== undefined} isWide>
      <FailurePlot counted={status.loginFailures ?? []} now={now} />
    </Tile>
    <Tile title={words.status.unknownRoutes} isTold={status.unknownRoutes !== undefined} isWide>
      <p class="field-help">{words.status.unknownRoutesWhy}</p>
      <Listed
        none={words.status.noUnknownRoutes}
        rows={(status.unknownRoutes ?? []).map(({ method, path, count, lastSeenAt }) => (
          <>
            <code>
              <bdi>{`${method} ${path}`}</bdi>
            </code>
            <span class="fact-more">
              {words.status.times({ number: count })}, {formatShortMoment(lastSeenAt)}
            </span>
          </>
        ))}
      />
    </Tile>
    <Tile title={words.status.failures} isTold={status.failures !== undefined} isWide>
      <Listed
        none={words.status.noFailures}
        rows={(status.failures ?? []).map(({ at, reason, method, path, requestId }) => (
          <>
            <span class="badge badge-bad">{reason}</span>{' '}
            <code>
              <bdi>{`${method} ${path}`}</bdi>
            </code>
            <span class="fact-more">
              {formatShortMoment(at)}, {words.status.requestId} <code>{requestId}</code>
            </span>
          </>
        ))}
      />
    </Tile>
  </div>
);

/** Failed logins per hour as small bars, so that password guessing is visible at a glance. */
const HEIGHT = 48;
const STEP = 12;
const BAR = 9;
const HOUR = 3600;

function FailurePlot({ counted, now }: { counted: readonly HourBar[]; now: number }) {
  const hours = lastHours(counted, now);
  const most = Math.max(...hours.map(({ count }) => count));
  if (most === 0) return <p>{words.status.noLoginFailures}</p>;
  const [first, last] = [hours[0], hours.at(-1)];
  return (
    <figure class="failure-plot">
      <svg viewBox={`0 0 ${hours.length * STEP} ${HEIGHT}`} role="img" aria-label={words.status.most({ number: most })}>
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
        <span>{words.status.most({ number: most })}</span>
        <span>{last && formatTick(last.start, HOUR)}</span>
      </figcaption>
    </figure>
  );
}

const tall = (share: number) => ({ y: HEIGHT - Math.max(3, HEIGHT * share), height: Math.max(3, HEIGHT * share) });
