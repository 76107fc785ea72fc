/** Status: reachability of all parts, configuration warnings, recent errors (SPEC 8). */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ServiceStatus } from '../../../gateway/readiness.ts';
import type { PartState } from '../../../telemetry/readiness.ts';
import type { AnswerOf } from '../shared/answers.ts';
import { problemOf, sendToApi } from '../shared/api.ts';
import { problemText } from '../shared/form-faults.ts';
import { ActButton } from '../shared/forms.tsx';
import { Blank, Button, Icon, Problem, Tile, usePageTitle } from '../shared/parts.tsx';
import { Slot } from '../shared/pieces.tsx';
import { PageHead } from '../shared/records-page.tsx';
import { recordsIn } from '../shared/untrusted.ts';
import { type FetchedAgain, useRefreshed, valueOr } from '../shared/use-fetched.ts';
import { formatDate, formatMoment, formatShortMoment, formatTick, formatTime, words } from '../shared/words.ts';

const readStatus = (body: unknown) => ({ status: Object(body) as Partial<ServiceStatus>, now: Date.now() / 1000 });
type LimitRecord = AnswerOf<'LIMIT'>;

export function Status() {
  const [fetched, again] = useRefreshed('api/status', readStatus);
  const limits = useRefreshed('api/status/limits', recordsIn<LimitRecord>);
  // All tiles come at once: one that grows would push the others away.
  const isLoading = [fetched, limits[0]].some(({ kind }) => kind === 'loading');
  const text = words.status;
  usePageTitle(text.title);
  const asOf = fetched.kind === 'ready' && !isLoading && text.asOf({ time: formatTime(fetched.value.now) });
  return (
    <section class="records-page">
      <PageHead title={text.title} lead={asOf ? `${text.lead} ${asOf}` : text.lead}>
        <Button onPress={again}>
          <Icon name="refresh" />
          {text.refresh}
        </Button>
      </PageHead>
      {isLoading && <p class="starting">{words.ui.common.loading}</p>}
      {fetched.kind === 'failed' && (
        <Blank title={words.settings.cannotLoad} message={fetched.problem} isPart isAlert />
      )}
      {fetched.kind === 'ready' && fetched.stale !== undefined && (
        <p class="notice notice-warn" role="alert">
          {text.stale({ problem: fetched.stale })}
        </p>
      )}
      {fetched.kind === 'ready' && !isLoading && <Tiles {...fetched.value} {...{ limits }} onChange={again} />}
    </section>
  );
}

interface TilesProps extends ReturnType<typeof readStatus> {
  readonly limits: FetchedAgain<readonly LimitRecord[]>;
  readonly onChange: () => void;
}

const isTold = (part: unknown): boolean => part !== null && part !== undefined;

function Tiles({ status, now, limits, onChange }: TilesProps) {
  const text = words.status;
  const { versions, startedAt, limiter, warnings, loginFailures, unknownRoutes, failures } = status;
  const isBlocked = valueOr(limits[0], []).length > 0;
  const isFailing = [status.nvr, status.store, status.events].map((part) => faultsOf(part).length > 0);
  const faults = [...isFailing, daysLeft(status, now) < FEW_DAYS, isBlocked, hasAny(warnings), hasAny(failures)];
  const number = faults.filter(Boolean).length;
  return (
    <>
      <p class={`reach reach-${number > 0 ? 'failed' : 'ok'}`} role="status">
        {text.health({ number })}
      </p>
      <div class="tiles">
        <Reached title={text.nvr} reach={status.nvr} more={versions?.nvr} />
        <Reached title={text.store} reach={status.store} />
        <Reached title={text.events} reach={status.events} />
        <Tile title={text.versions} isWell isTold={isTold(versions)}>
          <p>
            Postern {versions?.postern}, Node {versions?.node}
          </p>
          {isTold(startedAt) && (
            <p class="field-help">
              {text.running} {formatMoment(startedAt ?? 0)}
            </p>
          )}
        </Tile>
        <Certificate certificate={status.certificate ?? null} now={now} />
        <Tile title={text.limiter} isWell isTold={isTold(limiter)}>
          <p>{limiter?.clauses ? <code>{limiter.clauses}</code> : text.limiterOff}</p>
          <p class="field-help">{text.remembered({ number: limiter?.addresses ?? 0 })}</p>
          <p class="field-help">{text.limited({ number: limiter?.limited ?? 0 })}</p>
        </Tile>
        <Blocks limits={limits} onLift={onChange} />
        <Slot name="status" status={status} />
        <Tile title={text.warnings} isWell={!hasAny(warnings)} isTold={isTold(warnings)} isWide>
          <p class="field-help">{text.warningsWhy}</p>
          <Listed
            none={text.noWarnings}
            rows={warnings ?? []}
            row={({ key, message }) => (
              <>
                {key !== null && <code class="badge badge-warn">{key}</code>} <bdi>{message}</bdi>
              </>
            )}
          />
        </Tile>
        <Tile title={text.loginFailures} isWell isTold={isTold(loginFailures)} isWide>
          <FailurePlot hours={loginFailures ?? []} />
        </Tile>
        <Tile title={text.unknownRoutes} isWell isTold={isTold(unknownRoutes)} isWide>
          <p class="field-help">{text.unknownRoutesWhy}</p>
          <Listed
            none={text.noUnknownRoutes}
            rows={unknownRoutes ?? []}
            row={({ count, lastSeenAt, ...route }) => (
              <>
                <Request {...route} />
                <span class="fact-more">
                  {text.times({ number: count })}, {formatShortMoment(lastSeenAt)}
                </span>
              </>
            )}
          />
        </Tile>
        <Tile title={text.failures} isWell={!hasAny(failures)} isTold={isTold(failures)} isWide>
          <Listed
            none={text.noFailures}
            // The same request that failed again and again stands once, with its newest failure.
            rows={[...Map.groupBy(failures ?? [], (one) => [one.reason, one.method, one.path].join(' ')).values()]}
            row={([latest, ...before]) =>
              latest && (
                <>
                  <span class="badge badge-bad">{latest.reason}</span> <Request {...latest} />
                  <span class="fact-more">
                    {before.length > 0 && `${text.times({ number: before.length + 1 })}, `}
                    {formatShortMoment(latest.at)}, {text.requestId} <code>{latest.requestId}</code>
                  </span>
                </>
              )
            }
          />
        </Tile>
      </div>
    </>
  );
}

const hasAny = (list: readonly unknown[] | null | undefined): boolean => (list ?? []).length > 0;

type ListedProps<Row> = { rows: readonly Row[]; none: string; row: (row: Row) => ComponentChildren };

const Listed = <Row,>({ rows, none, row }: ListedProps<Row>) =>
  rows.length === 0 ? (
    <p>{none}</p>
  ) : (
    <ul class="listed">
      {rows.map((one, at) => (
        <li key={String(at)}>{row(one)}</li>
      ))}
    </ul>
  );

const Request = ({ method, path }: { method: string; path: string }) => (
  <code>
    <bdi>{`${method} ${path}`}</bdi>
  </code>
);

type ReachedProps = { title: string; reach: PartState | null | undefined; more?: string | null | undefined };

/** What is wrong, in the language of the page where it is known there; and as the service found it, with address, code, and what to set. */
const faultsOf = (part: ReachedProps['reach']) =>
  part && 'reason' in part ? [problemText({ reason: part.problem }), part.reason] : [];

const Reached = ({ title, reach, more }: ReachedProps) => (
  <Tile title={title} isTold={isTold(reach)} isWell={faultsOf(reach).length === 0}>
    {reach && <p class={`reach reach-${reach.kind}`}>{words.status[reach.kind]}</p>}
    {[...faultsOf(reach), more].map(
      (fact) =>
        fact && (
          <p key={fact} class="field-help">
            <bdi>{fact}</bdi>
          </p>
        ),
    )}
  </Tile>
);

const DAY_SECONDS = 86_400;
const FEW_DAYS = 14;

const daysLeft = ({ certificate }: Partial<ServiceStatus>, now: number): number =>
  certificate ? Math.floor((certificate.expiresAt - now) / DAY_SECONDS) : FEW_DAYS;

function Certificate({ certificate, now }: Pick<ServiceStatus, 'certificate'> & { now: number }) {
  const text = words.status;
  const days = daysLeft({ certificate }, now);
  const moment = formatDate(certificate?.expiresAt ?? 0);
  return (
    <Tile title={text.certificate} isWell={days >= FEW_DAYS}>
      {certificate && (
        <p class={`reach reach-${days < FEW_DAYS ? 'failed' : 'ok'}`}>
          {days < 0 ? text.certificateEnded({ moment }) : text.daysLeft({ days })}
        </p>
      )}
      <p class="field-help">
        {certificate ? <bdi>{certificate.subject}</bdi> : text.noTls}
        {certificate?.isSelfSigned && `, ${text.selfSigned}`}
        {certificate && days >= 0 && `, ${text.certificateEnds({ moment })}`}
      </p>
    </Tile>
  );
}

const BLOCKED: Readonly<Record<LimitRecord['kind'], (subject: string) => string>> = {
  address: (subject) => subject,
  network: (subject) => words.status.blocks.network({ network: subject }),
  codes: (subject) => words.status.blocks.codes({ user: subject }),
  pins: (subject) => words.status.blocks.pins({ link: subject }),
};

/** `onLift`: a number that is shown elsewhere is another one then. */
type BlocksProps = { limits: FetchedAgain<readonly LimitRecord[]>; onLift: () => void };

/** Blocked logins: who must wait, until when, which names were tried, and a button that lifts it (SPEC 4.5). */
function Blocks({ limits: [fetched, again], onLift }: BlocksProps) {
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState('');
  const text = words.status.blocks;
  const lift = async (id: string, subject: string): Promise<void> => {
    setSaid('');
    setProblem('');
    const answer = await sendToApi('DELETE', `api/status/limits/${id}`);
    if (answer.kind === 'ok') setSaid(text.lifted({ subject }));
    else setProblem(problemOf(answer));
    again();
    onLift();
  };
  return (
    <Tile
      title={text.title}
      isTold={fetched.kind !== 'failed'}
      isWell={valueOr(fetched, []).length === 0 && said === ''}
      isWide
    >
      {fetched.kind === 'ready' && (
        <Listed
          none={text.none}
          rows={fetched.value}
          row={({ id, kind, subject, until, names }) => {
            const name = BLOCKED[kind](subject);
            return (
              <>
                <bdi>{name}</bdi> <ActButton text={text.lift} name={name} onAct={() => void lift(id, name)} />
                <span class="fact-more">
                  {text.until({ moment: formatShortMoment(until) })}
                  {kind !== 'codes' && names.length > 0 && <bdi>, {text.tried({ names: names.join(', ') })}</bdi>}
                </span>
              </>
            );
          }}
        />
      )}
      <div role="status">{said !== '' && <p class="reach reach-ok">{said}</p>}</div>
      <Problem text={problem} />
    </Tile>
  );
}

const HEIGHT = 48;
const STEP = 12;
const BAR = 9;
const HOUR = 3600;

/** Failed logins per hour as small bars, so that password guessing is visible at a glance. */
function FailurePlot({ hours }: { hours: ServiceStatus['loginFailures'] }) {
  const number = Math.max(...hours.map(({ count }) => count));
  if (number === 0) return <p>{words.status.noLoginFailures}</p>;
  const most = words.status.most({ number });
  return (
    <figure class="failure-plot">
      <svg viewBox={`0 0 ${hours.length * STEP} ${HEIGHT}`} role="img" aria-label={most}>
        {hours.map(({ start, count }, at) => {
          const height = count > 0 ? Math.max(3, (HEIGHT * count) / number) : 2;
          return (
            <rect
              key={start}
              class={count > 0 ? 'failure-bar' : 'failure-none'}
              x={at * STEP}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              rx="1.5"
            >
              <title>{`${formatTick(start, HOUR)}: ${count}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption class="failure-ends field-help">
        <span>{formatTick(hours.at(0)?.start ?? 0, HOUR)}</span>
        <span>{most}</span>
        <span>{formatTick(hours.at(-1)?.start ?? 0, HOUR)}</span>
      </figcaption>
    </figure>
  );
}
