/** A judgement and what led to it, step by step. */
import type { ComponentChildren } from 'preact';
import { cameraName } from '../../shared/names.ts';
import { FewNames } from '../../shared/table/few-names.tsx';
import { words } from '../../shared/words.ts';
import { Badge } from '../page.tsx';
import type { Explanation } from './read-access.ts';

export function Judgement({ explanation }: { explanation: Explanation }) {
  const { verdict, status, reason, message, hints = [], headers = [], sent } = explanation;
  return (
    <section class={`judgement judgement-${verdict}`} aria-label={words.access.title}>
      <h2 class="judgement-verdict">{VERDICT[verdict]()}</h2>
      {verdict !== 'admitted' && (
        <p>
          {status !== undefined && <code>{status}</code>} {reason !== undefined && <code>{reason}</code>}{' '}
          <bdi>{message}</bdi>
        </p>
      )}
      {hints.map((hint) => (
        <p key={hint} class="notice notice-warn">
          <bdi>{hint}</bdi>
        </p>
      ))}
      <dl class="facts">
        {factsOf(explanation).map(([name, value]) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {headers.length > 0 && (
        <>
          <h3>{words.access.headersSeen}</h3>
          <ul class="header-fates">
            {headers.map(({ name, value, fate, why }, at) => (
              <li key={`${at} ${name}`}>
                <Badge text={words.access[fate]} kind={fate === 'kept' ? 'strong' : 'plain'} />
                <code>
                  <bdi>{`${name}: ${value}`}</bdi>
                </code>
                {why !== undefined && <bdi class="field-help">{why}</bdi>}
              </li>
            ))}
          </ul>
        </>
      )}
      {sent && (
        <>
          <h3>{words.access.sent}</h3>
          <pre class="code-block" dir="ltr">
            {[`${sent.method} ${sent.target}`, ...sent.headers.map((header) => header.join(': '))].join('\n')}
          </pre>
          <p class="field-help">
            {words.access.to} <bdi>{sent.to}</bdi>
          </p>
        </>
      )}
    </section>
  );
}

const VERDICT = {
  admitted: () => words.access.admitted,
  refused: () => words.access.refused,
  'nothing-visible': () => words.access.nothingVisible,
};

function factsOf(found: Explanation): [name: string, value: ComponentChildren][] {
  const rows: [string, ComponentChildren | undefined][] = [
    [words.ui.common.user, <bdi key="user">{found.user ?? words.access.anonymous}</bdi>],
    [words.ui.common.role, found.role && <bdi key="role">{found.role}</bdi>],
    [words.ui.common.cameras, found.cameras && <CamerasSeen key="cameras" cameras={found.cameras} />],
    [words.access.limits, found.limits && <bdi key="limits">{found.limits.join('; ')}</bdi>],
    [words.access.secret, found.secret],
    [words.access.token, found.token],
    [words.access.groups, found.groups?.length && <FewNames key="groups" names={found.groups} none="" />],
    [words.access.rule, found.rule && <bdi key="rule">{found.rule}</bdi>],
    [words.access.route, found.route && <RouteFound key="route" route={found.route} />],
  ];
  return rows.filter((row): row is [string, ComponentChildren] => Boolean(row[1]));
}

const CamerasSeen = ({ cameras }: { cameras: 'all' | readonly string[] }) =>
  cameras === 'all' ? (
    words.ui.common.allCameras
  ) : (
    <FewNames names={cameras.map(cameraName)} none={words.ui.common.noCameras} />
  );

const RouteFound = ({ route: { route, access, row } }: { route: NonNullable<Explanation['route']> }) => (
  <>
    <code>
      <bdi>{route}</bdi>
    </code>
    <span class="fact-more">
      {words.access.needs({ access })}; {row === undefined ? words.access.noRow : <code>{row}</code>}
    </span>
  </>
);
