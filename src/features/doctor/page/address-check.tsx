/** "Check the public address": doctor on the status page, and what it found as a table (SPEC 15). */
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import { problemOf, sendToApi } from '../../../ui/pages/shared/api.ts';
import { CopyButton } from '../../../ui/pages/shared/new-secret.tsx';
import { Button, Problem, SecurityLink, Tile } from '../../../ui/pages/shared/parts.tsx';
import type { Slots } from '../../../ui/pages/shared/pieces.tsx';
import { RecordTable } from '../../../ui/pages/shared/record-table.tsx';
import { words } from '../../../ui/pages/shared/words.ts';
import type { REPORT } from '../cause.ts';

/** The answer is Postern's own, of the same build as this page. */
type Report = z.output<typeof REPORT>;
type Finding = Report['findings'][number];

/** The check of an address. While none is set, it looks at the machine of Postern only. */
export function AddressCheck({ status: { publicUrl: url = null } }: Slots['status']) {
  const [isRunning, setIsRunning] = useState(false);
  const [report, setReport] = useState<Report>();
  const [problem, setProblem] = useState('');
  const run = async (): Promise<void> => {
    setIsRunning(true);
    const answer = await sendToApi('POST', 'api/status/doctor');
    setReport(answer.kind === 'ok' ? (answer.body as Report) : undefined);
    setProblem(answer.kind === 'ok' ? '' : problemOf(answer));
    setIsRunning(false);
  };
  return (
    <Tile title={words.security.publicUrl} fact={url === null ? words.status.unused : breakable(url)} isWell>
      <p class="field-help">
        {url === null ? words.doctor.addressUnset : words.doctor.checkWhy} {url === null && <SecurityLink />}
      </p>
      <p>
        <Button disabled={isRunning} onPress={run}>
          {words.doctor[isRunning ? 'checking' : url === null ? 'checkMachine' : 'checkAddress']}
        </Button>
      </p>
      <div role="status">{report && <Findings {...report} />}</div>
      <Problem text={problem} />
    </Tile>
  );
}

/** An address that a narrow line breaks between its parts, and not within a word. */
const breakable = (url: string) => (
  <bdi>{url.split(/(?<=\/\/)|(?=\.)/).flatMap((part, at) => [part, <wbr key={at} />])}</bdi>
);

/** The worst first. */
const BADGE: Readonly<Record<Finding['level'], string>> = {
  error: 'badge-bad',
  warning: 'badge-warn',
  advice: 'badge-plain',
};
const LEVELS = Object.keys(BADGE);

/** A port is open; or nothing answers at the address, which says nothing of its ports. */
const NOT_CLOSED = ['nvr-port-open', 'unreachable'];

function Findings({ findings, good, closed = [] }: Report) {
  return (
    <>
      {findings.every(({ level }) => level === 'advice') && <p class="reach reach-ok">{words.doctor.nothingWrong}</p>}
      <div class="findings">
        <RecordTable
          caption={words.doctor.found}
          rows={findings.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level))}
          keyOf={({ name, seen }) => `${name} ${seen}`}
          columns={[
            {
              title: words.doctor.weight,
              cell: ({ level }) => <span class={`badge ${BADGE[level]}`}>{words.doctor.levels[level]}</span>,
            },
            {
              title: words.doctor.found,
              cell: ({ seen }) => <bdi lang="en">{seen.slice(0, 1).toUpperCase() + seen.slice(1)}</bdi>,
              note: ({ name }) => name,
            },
            { title: words.doctor.toDo, cell: toDo },
          ]}
        />
      </div>
      {closed.length > 0 && !findings.some(({ name }) => NOT_CLOSED.includes(name)) && (
        <p class="reach reach-ok">{words.doctor.closed({ ports: closed.join(', ') })}</p>
      )}
      {good.length > 0 && (
        <details>
          <summary>{words.doctor.good({ number: good.length })}</summary>
          <p class="chips" dir="ltr">
            {good.map((name) => (
              <code key={name} class="chip">
                {name}
              </code>
            ))}
          </p>
        </details>
      )}
    </>
  );
}

const toDo = ({ advice, lines = [] }: Finding) => (
  <>
    <bdi lang="en">{advice}</bdi>
    {lines.length > 0 && (
      <>
        <pre class="code-block" dir="ltr">
          {lines.join('\n')}
        </pre>
        <CopyButton text={lines.join('\n')} />
      </>
    )}
  </>
);
