/** Status: reachability of all parts, configuration warnings, recent errors (SPEC 8). */
import type { ComponentChildren } from 'preact';
import type { ServiceStatus } from '../../../gateway/readiness.ts';
import type { PartState } from '../../../telemetry/readiness.ts';
import { useProfile } from '../shared/account.ts';
import type { AnswerOf } from '../shared/answers.ts';
import { sendToApi, together, useRefreshed } from '../shared/api.ts';
import { problemText } from '../shared/form-faults.ts';
import { ActButton } from '../shared/forms.tsx';
import { Button, Icon, Stale, Tile } from '../shared/parts.tsx';
import { Slot } from '../shared/pieces.tsx';
import { pathTo, RecordsPage } from '../shared/records-page.tsx';
import { recordsIn } from '../shared/untrusted.ts';
import {
  DAY_SECONDS,
  formatDate,
  formatShortMoment,
  formatSpan,
  formatTick,
  formatTime,
  locale,
  words,
} from '../shared/words.ts';

const readStatus = (body: unknown) => ({ status: Object(body) as Partial<ServiceStatus>, now: Date.now() / 1000 });
type LimitRecord = AnswerOf<'LIMIT'>;

export function Status() {
  const [status, again] = useRefreshed('api/status', readStatus);
  const [limits, againLimits] = useRefreshed('api/status/limits', recordsIn<LimitRecord>);
  // All parts come at once: one that grows would push the others away.
  const fetched = limits.kind === 'loading' ? limits : status;
  const text = words.status;
  const asOf = fetched.kind === 'ready' && text.asOf({ time: formatTime(fetched.value.now) });
  const refresh = together(again, againLimits);
  return (
    <RecordsPage
      title={words.ui.frame.status}
      lead={asOf ? `${text.lead} ${asOf}` : text.lead}
      fetched={[fetched, refresh]}
      beside={
        <Button onPress={refresh}>
          <Icon name="refresh" />
          {words.explore.refresh}
        </Button>
      }
    >
      {(value) => (
        <>
          {status.kind === 'ready' && <Stale stale={status.stale} />}
          <Parts {...value} limits={limits.kind === 'ready' ? limits.value : null} />
        </>
      )}
    </RecordsPage>
  );
}

type PartsProps = ReturnType<typeof readStatus> & { readonly limits: readonly LimitRecord[] | null };

function Parts({ status, now, limits }: PartsProps) {
  const text = words.status;
  const { length } = useProfile().allowed_cameras;
  const cameras = status.nvr?.kind === 'ok' && length > 0 && text.cameras({ number: length });
  const { versions, startedAt, limiter, warnings, failures } = status;
  const parts = [
    [text.nvr, status.nvr, status.nvr?.kind === 'failed' ? [] : [versions?.nvr, cameras]],
    [text.store, status.store, []],
    [text.events, status.events, []],
  ] as const;
  const inState = (kind: PartState['kind']) => parts.flatMap(([title, part]) => (part?.kind === kind ? title : []));
  const faults = [...inState('failed'), ...(daysLeft(status, now) < FEW_DAYS ? [text.certificate] : [])];
  const inPart = inState('degraded');
  // `5/minute`; a limit of another form is shown as it is written.
  const limit = limiter?.clauses
    ?.replaceAll(';', ', ')
    .replace(/\b(\d+)\/(second|minute|hour|day)\b/g, (_, number, unit) => text.rate({ number, unit }));
  const past = [...Map.groupBy(failures ?? [], ({ reason }) => reason)];
  // How many alone: the tiles right below say which.
  const notes = [
    [text.degraded, inPart.join(', ')] as const,
    [text.blocks.title, limits?.length] as const,
    [text.warnings, warnings?.length] as const,
    [text.failures, failures?.length] as const,
  ]
    .flatMap(([title, what]) => (what ? `${title}:\u00a0${what}` : []))
    .join('. ');
  const health = hasAny(faults) ? text.attention({ parts: faults.join(', ') }) : !hasAny(inPart) && text.health;
  return (
    <>
      <div class="health">
        <p class={`reach reach-${hasAny(faults) ? 'failed' : health ? 'ok' : 'degraded'}`} role="status">
          <span>
            {health && `${health}${notes && '. '}`}
            <span class="health-notes">{notes}</span>
          </span>
        </p>
        {versions && startedAt && (
          <p class="field-help">
            Postern {versions.postern}. {text.running} {formatShortMoment(startedAt)}.
          </p>
        )}
      </div>
      <div class="tiles">
        {parts.map(([title, part, more]) => (
          <Part key={title} title={title} {...told(part, more)} />
        ))}
        <Part
          title={text.versions}
          fact={versions && `Postern ${versions.postern}`}
          lines={[`Node ${versions?.node}`, startedAt && `${text.running} ${formatShortMoment(startedAt)}`]}
        />
        <Certificate certificate={status.certificate ?? null} now={now} />
        <Part
          title={text.limiter}
          fact={limiter && (limit ?? text.limiterOff)}
          lines={[
            text.remembered({ number: limiter?.addresses ?? 0 }),
            text.limited({ number: limiter?.limited ?? 0 }),
          ]}
        />
        {/* Who must wait, until when, which names were tried, and a button that lifts it (SPEC 4.5). */}
        <Listed
          title={text.blocks.title}
          none={text.none}
          rows={limits}
          row={({ id, kind, subject: blocked, until, names }) => {
            const subject = kind === 'address' ? blocked : text.blocks.subject({ kind, subject: blocked });
            const send = () => sendToApi('DELETE', pathTo('api/status/limits', id));
            return [
              <>
                <bdi>{subject}</bdi>{' '}
                <ActButton
                  text={text.blocks.lift}
                  name={subject}
                  atOnce={{ send, done: text.blocks.lifted({ subject }) }}
                />
              </>,
              text.blocks.until({ moment: formatShortMoment(until) }),
              kind !== 'codes' && names.length > 0 && text.blocks.tried({ names: names.join(', ') }),
            ];
          }}
        />
        <Slot name="status" status={status} />
        <Listed
          title={text.warnings}
          none={text.noWarnings}
          rows={warnings}
          why={text.warningsWhy}
          // A line of the log, with names of keys and what to write there: in English, as the advice of doctor.
          row={({ key, message }) => [
            <details key={message} open={locale?.startsWith('en')}>
              <summary>
                <code class="badge badge-warn">{key ?? message.split(':', 1)[0]}</code>
              </summary>
              <bdi lang="en">{message}</bdi>
            </details>,
          ]}
        />
        <FailurePlot hours={status.loginFailures} />
        <Listed
          title={text.unknownRoutes}
          none={text.noUnknownRoutes}
          rows={status.unknownRoutes}
          why={text.unknownRoutesWhy}
          isWell
          row={({ count, lastSeenAt, ...route }) => [
            <Request key="what" {...route} />,
            text.times({ number: count }),
            formatShortMoment(lastSeenAt),
          ]}
        />
        <Listed
          title={text.failures}
          none={text.none}
          rows={failures && past}
          number={failures?.length}
          row={([reason, all]) => [
            <details key={reason}>
              <summary>
                <bdi title={reason}>{problemText({ reason }, words.problems) ?? reason}</bdi>{' '}
                {text.times({ number: all.length })}, {formatSpan(all.at(-1)?.at ?? 0, all[0]?.at ?? 0)}
              </summary>
              {all.map(({ requestId, ...request }) => (
                <p key={requestId}>
                  <Request {...request} /> <bdi class="fact-more">{`${text.requestId} ${requestId}`}</bdi>
                </p>
              ))}
            </details>,
          ]}
        />
      </div>
    </>
  );
}

const hasAny = (list: readonly unknown[] | null | undefined): boolean => (list ?? []).length > 0;

type ListHead = { title: string; none: string; why?: string; isWell?: boolean; number?: number | undefined };
type ListRow = readonly [what: ComponentChildren, ...more: (string | false | undefined)[]];
type ListedProps<Row> = ListHead & { rows: readonly Row[] | null | undefined; row: (row: Row) => ListRow };

/** `isWell`: its rows are nothing that is wrong. `number`: of what the rows are made of. */
const Listed = <Row,>({ title, rows, number = rows?.length, none, why, isWell = !number, row }: ListedProps<Row>) => (
  <Tile title={title} fact={rows && (number ? number.toLocaleString(locale) : none)} isWell={isWell}>
    {hasAny(rows) && (
      <>
        {why && <p class="field-help">{why}</p>}
        <ul class="listed">
          {rows?.map(row).map(([what, ...more], at) => (
            <li key={String(at)}>
              {what} <bdi class="fact-more">{more.filter(Boolean).join(', ')}</bdi>
            </li>
          ))}
        </ul>
      </>
    )}
  </Tile>
);

const Request = ({ method, path }: { method: string; path: string }) => <code dir="ltr">{`${method} ${path}`}</code>;

type State = PartState | null | undefined;
type Line = string | number | false | null | undefined;

/** `more`: beside the state. What is wrong is said in the language of the page where it is known there; and as the service found it, where that adds an address, a code or a key. */
function told(state: State, more: readonly Line[]) {
  const fact = state && [words.status[state.kind], ...more].filter(Boolean).join(', ');
  const { reason, problem } = state && 'reason' in state ? state : {};
  const known = problemText({ reason: problem }, words.problems);
  return { kind: state?.kind, fact, lines: [known, (!known || /\d|\w\.\w/.test(reason ?? '')) && reason] };
}

type PartProps = { title: string; kind?: PartState['kind'] | undefined; fact: Line; lines: readonly Line[] };

const Part = ({ title, kind, fact, lines }: PartProps) => (
  <Tile
    title={title}
    fact={fact && <bdi class={kind && `reach reach-${kind}`}>{fact}</bdi>}
    isWell={kind !== 'failed' && kind !== 'degraded'}
  >
    {lines.some(Boolean) && <p class="field-help tile-lines">{lines.filter(Boolean).join('\n')}</p>}
  </Tile>
);

const FEW_DAYS = 14;

const daysLeft = ({ certificate }: Partial<ServiceStatus>, now: number): number =>
  certificate ? Math.floor((certificate.expiresAt - now) / DAY_SECONDS) : FEW_DAYS;

function Certificate({ certificate, now }: Pick<ServiceStatus, 'certificate'> & { now: number }) {
  const text = words.status;
  if (!certificate) return <Part title={text.certificate} fact={text.noTls} lines={[]} />;
  const days = daysLeft({ certificate }, now);
  const moment = formatDate(certificate.expiresAt);
  const { subject, isSelfSigned } = certificate;
  const line = [subject, isSelfSigned && text.selfSigned, days >= 0 && text.certificateEnds({ moment })];
  return (
    <Part
      title={text.certificate}
      kind={days < FEW_DAYS ? 'failed' : 'ok'}
      fact={days < 0 ? text.certificateEnded({ moment }) : text.daysLeft({ days })}
      lines={[line.filter(Boolean).join(', ')]}
    />
  );
}

const HOUR = 3600;

/** Failed logins per hour as small bars, so that password guessing is visible at a glance. */
function FailurePlot({ hours }: { hours: ServiceStatus['loginFailures'] | undefined }) {
  const { loginFailures: title, noLoginFailures, most } = words.status;
  const number = Math.max(0, ...(hours ?? []).map(({ count }) => count));
  if (!hours || number === 0) return <Part title={title} fact={hours && noLoginFailures} lines={[]} />;
  return (
    <Tile title={title} fact={most({ number })} isWell>
      <div class="failure-plot" role="img" aria-label={most({ number })}>
        {hours.map(({ start, count }) => (
          <span
            key={start}
            class={count > 0 ? 'failure-bar' : 'failure-none'}
            style={{ height: `${(100 * count) / number}%` }}
            title={`${formatTick(start, HOUR)}: ${count}`}
          />
        ))}
      </div>
      <p class="failure-ends field-help">
        <span>{formatTick(hours.at(0)?.start ?? 0, HOUR)}</span>
        <span>{formatTick(hours.at(-1)?.start ?? 0, HOUR)}</span>
      </p>
    </Tile>
  );
}
