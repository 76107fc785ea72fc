/** Status: reachability of all parts, configuration warnings, recent errors (SPEC 8). */
import { PageHead } from '../settings/records.tsx';
import { Icon } from '../shared/icon.tsx';
import { useRefreshed } from '../shared/live/use-refreshed.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { formatShortMoment, formatTime } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import { AddressCheck } from './address-check.tsx';
import { Canary } from './canary.tsx';
import { FailurePlot } from './failure-plot.tsx';
import { type ReadStatus, readStatus } from './read-status.ts';
import { Certificate, Limiter, Reached, Versions } from './service-tiles.tsx';
import { Listed, Tile } from './tile.tsx';

export function Status() {
  const [fetched, again] = useRefreshed('api/status', (body) => ({ status: readStatus(body), at: Date.now() / 1000 }));
  usePageTitle(words.status.title);
  return (
    <section class="records-page">
      <PageHead
        title={words.status.title}
        lead={
          fetched.kind === 'ready'
            ? `${words.status.lead} ${words.status.asOf(formatTime(fetched.value.at))}`
            : words.status.lead
        }
        actions={
          <button class="button" type="button" onClick={again}>
            <Icon name="refresh" />
            {words.status.refresh}
          </button>
        }
      />
      {fetched.kind === 'loading' && <p class="starting">{words.common.loading}</p>}
      {fetched.kind === 'failed' && (
        <div class="blank" role="alert">
          <h2>{words.settings.cannotLoad}</h2>
          <p>{fetched.problem}</p>
        </div>
      )}
      {fetched.kind === 'ready' && fetched.stale !== undefined && (
        <p class="notice notice-warn" role="alert">
          {words.status.stale(fetched.stale)}
        </p>
      )}
      {fetched.kind === 'ready' && <Components status={fetched.value.status} now={fetched.value.at} onChange={again} />}
    </section>
  );
}

const Components = ({ status, now, onChange }: { status: ReadStatus; now: number; onChange: () => void }) => (
  <div class="tiles">
    <Reached title={words.status.nvr} reach={status.nvr} more={status.versions?.nvr ?? undefined} />
    <Reached title={words.status.store} reach={status.store} />
    <Reached title={words.status.events} reach={status.events} />
    <Versions status={status} />
    <Certificate certificate={status.certificate} />
    <Limiter limiter={status.limiter} />
    <Canary canary={status.canary} onRun={onChange} />
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
              {words.status.times(count)}, {formatShortMoment(lastSeenAt)}
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
