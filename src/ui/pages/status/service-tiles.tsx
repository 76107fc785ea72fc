/** Tiles of the status page: NVR, store and events backend, versions, certificate, login limit. */
import type { ReachStatus } from '../../../domain/status.ts';
import { formatDate, formatMoment } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import type { ReadStatus } from './read-status.ts';
import { Tile } from './tile.tsx';

const SAID: Readonly<Record<ReachStatus['kind'], () => string>> = {
  ok: () => words.status.ok,
  unused: () => words.status.unused,
  failed: () => words.status.failed,
};

export const Reached = ({
  title,
  reach,
  more,
}: {
  title: string;
  reach: ReachStatus | undefined;
  more?: string | undefined;
}) => (
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

export function Certificate({ certificate }: { certificate: ReadStatus['certificate'] }) {
  if (!certificate) {
    return (
      <Tile title={words.status.certificate} isTold>
        <p class="field-help">{words.status.noTls}</p>
      </Tile>
    );
  }
  const days = Math.floor((certificate.expiresAt - Date.now() / 1000) / DAY_SECONDS);
  const moment = formatDate(certificate.expiresAt);
  return (
    <Tile title={words.status.certificate} isTold>
      <p class={`reach reach-${days < 14 ? 'failed' : 'ok'}`}>
        {days < 0 ? words.status.certificateEnded({ moment }) : words.status.daysLeft({ days })}
      </p>
      <p class="field-help">
        <bdi>{certificate.subject}</bdi>
        {certificate.isSelfSigned && `, ${words.status.selfSigned}`}
        {days >= 0 && `, ${words.status.certificateEnds({ moment })}`}
      </p>
    </Tile>
  );
}

export const Limiter = ({ limiter }: { limiter: ReadStatus['limiter'] }) => (
  <Tile title={words.status.limiter} isTold={limiter !== undefined}>
    <p>{limiter?.clauses ? <code>{limiter.clauses}</code> : words.status.limiterOff}</p>
    <p class="field-help">{words.status.remembered({ number: limiter?.addresses ?? 0 })}</p>
    <p class="field-help">{words.status.limited({ number: limiter?.limited ?? 0 })}</p>
  </Tile>
);

export const Versions = ({ status: { versions, startedAt } }: { status: ReadStatus }) => (
  <Tile title={words.status.versions} isTold={versions !== undefined}>
    <p>
      Postern {versions?.postern}, Node {versions?.node}
    </p>
    {startedAt !== undefined && (
      <p class="field-help">
        {words.status.running} {formatMoment(startedAt)}
      </p>
    )}
  </Tile>
);
