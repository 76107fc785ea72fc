/** "Check the public address": doctor on the status page, and what it found as a table (SPEC 15). */

import { useState } from 'preact/hooks';
import { type ApiResponse, sendToApi } from '../shared/api.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { isFields } from '../shared/forms/fields.ts';
import { problemOf } from '../shared/forms/problem-of.ts';
import { words } from '../shared/words.ts';
import { Tile } from './tile.tsx';

type CheckProgress =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly findings: readonly ShownFinding[] }
  | { readonly kind: 'failed'; readonly problem: string };

/** The check of an address. Without `url` it looks at the machine of Postern only. */
export function AddressCheck({ url }: { url: string | undefined }) {
  const [check, setCheck] = useState<CheckProgress>({ kind: 'idle' });
  const run = async (): Promise<void> => {
    setCheck({ kind: 'running' });
    const answer = await sendToApi('POST', 'api/status/doctor');
    if (answer.kind === 'ok') setCheck({ kind: 'done', findings: readReport(answer.body) });
    else setCheck({ kind: 'failed', problem: isBusy(answer) ? words.doctor.checkBusy : problemOf(answer) });
  };
  const isRunning = check.kind === 'running';
  return (
    <Tile title={words.doctor.publicAddress} isTold isWide>
      {url === undefined ? (
        <>
          <p>{words.doctor.addressUnset}</p>
          <pre class="code-block" dir="ltr">
            {'server:\n  public_url: https://nvr.example.com'}
          </pre>
        </>
      ) : (
        <>
          <p>
            <bdi>{url}</bdi>
          </p>
          <p class="field-help">{words.doctor.checkWhy}</p>
        </>
      )}
      <p>
        <button class="button" type="button" disabled={isRunning} onClick={() => void run()}>
          {isRunning
            ? words.doctor.checking
            : url === undefined
              ? words.doctor.checkMachine
              : words.doctor.checkAddress}
        </button>
      </p>
      <div role="status">{check.kind === 'done' && <Findings findings={check.findings} />}</div>
      <div class="notice notice-bad" role="alert">
        {check.kind === 'failed' && <bdi>{check.problem}</bdi>}
      </div>
    </Tile>
  );
}

/** Another admin pressed the button, or the same one in another window. */
const isBusy = (answer: ApiResponse): boolean => answer.kind === 'refused' && answer.status === 409;

const BADGE: Readonly<Record<Level, string>> = { error: 'badge-bad', warning: 'badge-warn', advice: 'badge-plain' };

function Findings({ findings }: { findings: readonly ShownFinding[] }) {
  const isWell = findings.every(({ level }) => level === 'advice');
  return (
    <>
      {isWell && <p class="reach reach-ok">{words.doctor.nothingWrong}</p>}
      {findings.length > 0 && (
        <table class="findings">
          <thead>
            <tr>
              <th scope="col">{words.doctor.weight}</th>
              <th scope="col">{words.doctor.found}</th>
              <th scope="col">{words.doctor.toDo}</th>
            </tr>
          </thead>
          <tbody>
            {findings.map((finding, at) => (
              <Finding key={`${at} ${finding.name}`} {...finding} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

const Finding = ({ name, level, seen, advice, lines }: ShownFinding) => (
  <tr>
    <td>
      <span class={`badge ${BADGE[level]}`}>{levelWord(level)}</span>
    </td>
    <td>
      <bdi lang="en">{seen}</bdi>
      <code class="fact-more">{name}</code>
    </td>
    <td>
      <bdi lang="en">{advice}</bdi>
      {lines.length > 0 && (
        <>
          <pre class="code-block" dir="ltr">
            {lines.join('\n')}
          </pre>
          <CopyButton text={lines.join('\n')} />
        </>
      )}
    </td>
  </tr>
);

/** What doctor found at the public address, read from what POST /api/status/doctor answers (SPEC 15). */
const LEVELS = ['error', 'warning', 'advice'] as const;
type Level = (typeof LEVELS)[number];

interface ShownFinding {
  readonly name: string;
  readonly level: Level;
  readonly seen: string;
  readonly advice: string;
  /** The lines to change at the proxy. */
  readonly lines: readonly string[];
}

/** What is wrong first. The answer is Postern's own, of the same build as this page. */
function readReport(body: unknown): readonly ShownFinding[] {
  const told = isFields(body) && Array.isArray(body['findings']) ? body['findings'] : [];
  const shown = told.filter(isFields).map((finding): ShownFinding => {
    const { name, level, seen, advice, lines } = finding;
    return {
      name: String(name),
      level: LEVELS.find((one) => one === level) ?? 'warning',
      seen: sentence(String(seen)),
      advice: String(advice),
      lines: Array.isArray(lines) ? lines.map(String) : [],
    };
  });
  return shown.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
}

const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const levelWord = (level: Level): string => words.doctor.levels[level];
