/** The tile of blocked logins: who must wait, until when, which names were tried, and a button that lifts it (SPEC 4.5, 8). */
import { useState } from 'preact/hooks';
import type { LimitRecord } from '../settings/account-records.ts';
import { sendToApi } from '../shared/api.ts';
import { problemOf } from '../shared/forms/problem-of.ts';
import { Act } from '../shared/table/row-menu.tsx';
import { formatShortMoment } from '../shared/times.ts';
import type { FetchedAgain } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { Listed, Tile } from './tile.tsx';

const NAMED: Readonly<Record<LimitRecord['kind'], (subject: string) => string>> = {
  address: (subject) => subject,
  network: (subject) => words.status.blocks.network({ network: subject }),
  codes: (subject) => words.status.blocks.codes({ user: subject }),
  pins: (subject) => words.status.blocks.pins({ link: subject }),
};
const nameOf = ({ kind, subject }: LimitRecord): string => NAMED[kind](subject);

interface BlocksProps {
  readonly limits: FetchedAgain<readonly LimitRecord[]>;
  /** A number that is shown elsewhere is another one then. */
  readonly onLift: () => void;
}

export function Blocks({ limits: [fetched, again], onLift }: BlocksProps) {
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState('');
  const text = words.status.blocks;
  const lift = async (limit: LimitRecord): Promise<void> => {
    setSaid('');
    setProblem('');
    const answer = await sendToApi('DELETE', `api/status/limits/${limit.id}`);
    if (answer.kind === 'ok') setSaid(text.lifted({ subject: nameOf(limit) }));
    else setProblem(problemOf(answer));
    again();
    onLift();
  };
  return (
    <Tile title={text.title} isTold={fetched.kind !== 'failed'} isWide>
      {fetched.kind === 'ready' && (
        <Listed
          none={text.none}
          rows={fetched.value.map((limit) => (
            <>
              <bdi>{nameOf(limit)}</bdi> <Act text={text.lift} name={nameOf(limit)} onAct={() => void lift(limit)} />
              <span class="fact-more">
                {text.until({ moment: formatShortMoment(limit.until) })}
                {limit.kind !== 'codes' && limit.names.length > 0 && (
                  <bdi>, {text.tried({ names: limit.names.join(', ') })}</bdi>
                )}
              </span>
            </>
          ))}
        />
      )}
      <div role="status">{said !== '' && <p class="reach reach-ok">{said}</p>}</div>
      <div class="notice notice-bad" role="alert">
        {problem !== '' && <bdi>{problem}</bdi>}
      </div>
    </Tile>
  );
}
