/** Status: whether everything answers, what the start warned of, and what went wrong since (SPEC 8). */
import type { ComponentChildren } from 'preact';
import type { Reach } from '../../../domain/status.ts';
import { Done, PageHead } from '../settings/records.tsx';
import { Icon } from '../shared/icon.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { sayDate, sayMoment, sayShortMoment } from '../shared/times.ts';
import { useAsked } from '../shared/use-asked.ts';
import { words } from '../shared/words.ts';
import { FailurePlot } from './failure-plot.tsx';
import { type ReadStatus, readStatus } from './read-status.ts';

export function Status() {
  const [asked, again] = useAsked('api/status', readStatus);
  usePageTitle(words.status.title);
  return (
    <section class="records-page">
      <PageHead
        title={words.status.title}
        lead={words.status.lead}
        ways={
          <button class="button" type="button" onClick={again}>
            <Icon name="refresh" />
            {words.status.refresh}
          </button>
        }
      />
      <Done text="" />
      {asked.kind === 'loading' && <p class="starting">{words.common.loading}</p>}
      {asked.kind === 'failed' && (
        <div class="blank" role="alert">
          <h2>{words.settings.cannotLoad}</h2>
          <p>{asked.problem}</p>
        </div>
      )}
      {asked.kind === 'ready' && <Parts status={asked.value} />}
    </section>
  );
}

const Parts = ({ status }: { status: ReadStatus }) => (
  <div class="tiles">
    <Reached title={words.status.nvr} reach={status.nvr} more={status.versions?.nvr ?? undefined} />
    <Reached title={words.status.store} reach={status.store} />
    <Reached title={words.status.events} reach={status.events} />
    <Tile title={words.status.versions} isTold={status.versions !== undefined}>
      <p>
        Postern {status.versions?.postern}, Node {status.versions?.node}
      </p>
      {status.startedAt !== undefined && (
        <p class="field-help">
          {words.status.running} {sayMoment(status.startedAt)}
        </p>
      )}
    </Tile>
    <Certificate certificate={status.certificate} />
    <Limiter limiter={status.limiter} />
    <Tile title={words.status.warnings} isTold={status.warnings !== undefined} isWide>
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
      <FailurePlot counted={status.loginFailures ?? []} now={Date.now() / 1000} />
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
              {words.status.times(count)}, {sayShortMoment(lastSeenAt)}
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
              {sayShortMoment(at)}, {words.status.requestId} <code>{requestId}</code>
            </span>
          </>
        ))}
      />
    </Tile>
  </div>
);

interface TileProps {
  readonly title: string;
  readonly isTold: boolean;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

const Tile = ({ title, isTold, isWide = false, children }: TileProps) => (
  <section class={isWide ? 'tile tile-wide' : 'tile'}>
    <h2 class="tile-title">{title}</h2>
    {isTold ? children : <p class="field-help">{words.status.notTold}</p>}
  </section>
);

const SAID: Readonly<Record<Reach['kind'], () => string>> = {
  ok: () => words.status.ok,
  unused: () => words.status.unused,
  failed: () => words.status.failed,
};

const Reached = ({ title, reach, more }: { title: string; reach: Reach | undefined; more?: string | undefined }) => (
  <Tile title={title} isTold={reach !== undefined}>
    {reach && <p class={`reach reach-${reach.kind}`}>{SAID[reach.kind]()}</p>}
    {reach?.kind === 'failed' && (
      <p class="field-help">
        <bdi>{reach.reason}</bdi>
      </p>
    )}
    {more !== undefined && (
      <p class="field-help">
        <bdi>{more}</bdi>
      </p>
    )}
  </Tile>
);

const DAY_SECONDS = 86_400;

function Certificate({ certificate }: { certificate: ReadStatus['certificate'] }) {
  if (!certificate) {
    return (
      <Tile title={words.status.certificate} isTold>
        <p class="field-help">{words.status.noTls}</p>
      </Tile>
    );
  }
  const days = Math.floor((certificate.expiresAt - Date.now() / 1000) / DAY_SECONDS);
  const moment = sayDate(certificate.expiresAt);
  return (
    <Tile title={words.status.certificate} isTold>
      <p class={`reach reach-${days < 14 ? 'failed' : 'ok'}`}>
        {days < 0 ? words.status.certificateEnded(moment) : words.status.daysLeft(days)}
      </p>
      <p class="field-help">
        <bdi>{certificate.subject}</bdi>
        {certificate.isSelfSigned && `, ${words.status.selfSigned}`}
        {days >= 0 && `, ${words.status.certificateEnds(moment)}`}
      </p>
    </Tile>
  );
}

const Limiter = ({ limiter }: { limiter: ReadStatus['limiter'] }) => (
  <Tile title={words.status.limiter} isTold={limiter !== undefined}>
    <p>{limiter?.clauses ? <code>{limiter.clauses}</code> : words.status.limiterOff}</p>
    <p class="field-help">{words.status.remembered(limiter?.addresses ?? 0)}</p>
    <p class="field-help">{words.status.limited(limiter?.limited ?? 0)}</p>
  </Tile>
);

const Listed = ({ rows, none }: { rows: readonly ComponentChildren[]; none: string }) =>
  rows.length === 0 ? (
    <p>{none}</p>
  ) : (
    <ul class="listed">
      {rows.map((row, at) => (
        <li key={String(at)}>{row}</li>
      ))}
    </ul>
  );
