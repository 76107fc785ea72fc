/** Settings > Access, advanced: how a request with method and path would be decided, and why (SPEC 1, `explain`). */
import { useState } from 'preact/hooks';
import type { UserRecord } from '../shared/answers.ts';
import { getFromApi, useList, valueOr } from '../shared/api.ts';
import { Choice, SelectField, TextArea, TextField } from '../shared/fields.tsx';
import { PanelForm, type Sent } from '../shared/forms.tsx';
import { type Fact, Facts } from '../shared/parts.tsx';
import { FewNames } from '../shared/record-table.tsx';
import { Badge } from '../shared/records-page.tsx';
import { cameraName, facts, words } from '../shared/words.ts';
import { type Explanation, refusalText } from './access-answers.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'WS'] as const;

type CallerKind = 'user' | 'headers' | 'anonymous';

const FIRST = {
  caller: 'headers' as CallerKind,
  user: '',
  headers: '',
  peer: '',
  method: 'GET',
  path: '/api/events',
};

export function DescribedRequest() {
  const text = words.access;
  const { hasOwnLogin } = facts;
  const [users] = useList<UserRecord>(hasOwnLogin && 'api/users');
  const names = valueOr(users, []).map(({ username }) => username);
  const unknown = [['headers', text.asHeaders] as const, ['anonymous', text.asAnonymous] as const];
  const [result, setResult] = useState<Explanation>();
  const ask = async ({ caller, user, headers, peer, method, path }: typeof FIRST): Promise<Sent> => {
    setResult(undefined);
    if (!path.startsWith('/')) return { faults: { path: text.pathUnfit } };
    const query = new URLSearchParams({ method, path });
    if (caller === 'user') query.set('user', user || (names[0] ?? ''));
    if (caller === 'headers') for (const line of headers.match(/\S.*(?<=\S)/g) ?? []) query.append('header', line);
    if (peer.trim() !== '') query.set('peer', peer.trim());
    return getFromApi(`api/explain?${query}`);
  };
  return (
    <>
      <p class="page-lead">{text.advancedLead}</p>
      <PanelForm
        submit={text.ask}
        submitting={text.asking}
        first={hasOwnLogin ? { ...FIRST, caller: 'user' } : FIRST}
        onSubmit={ask}
        onSent={(_, body) => setResult(body as Explanation)}
      >
        {({ values: { caller, user }, put, field }) => (
          <>
            <Choice
              name="callerKind"
              legend={text.who}
              isLegendShown
              options={hasOwnLogin ? [['user', text.asUser], ...unknown] : unknown}
              chosen={caller}
              onChoose={(kind) => put({ caller: kind })}
            />
            {caller === 'user' && (
              <SelectField
                label={words.ui.common.user}
                {...field('user')}
                value={user || (names[0] ?? '')}
                options={names}
              />
            )}
            {caller === 'headers' && (
              <>
                <TextArea label={text.headers} help={text.headersHelp} {...field('headers')} />
                <TextField label={text.peer} help={text.peerHelp} isOptional {...field('peer')} />
              </>
            )}
            <div class="form-row">
              <SelectField label={text.method} {...field('method')} options={METHODS} />
              <TextField label={text.path} help={text.pathHelp} {...field('path')} />
            </div>
          </>
        )}
      </PanelForm>
      <div role="status">{result && <Judgement explanation={result} />}</div>
    </>
  );
}

function Judgement({ explanation }: { explanation: Explanation }) {
  const { verdict, status, reason, hints = [], headers = [], sent } = explanation;
  return (
    <section class={`judgement judgement-${verdict}`} aria-label={words.access.title}>
      <h2 class="judgement-verdict">{words.access[verdict === 'nothing-visible' ? 'nothingVisible' : verdict]}</h2>
      {verdict !== 'admitted' && (
        <p>
          {status !== undefined && <code>{status}</code>} {reason !== undefined && <code>{reason}</code>}{' '}
          <bdi>{refusalText(explanation)}</bdi>
        </p>
      )}
      {hints.map((hint) => (
        <p key={hint} class="notice notice-warn">
          <bdi>{hint}</bdi>
        </p>
      ))}
      <Facts rows={eventFacts(explanation)} />
      {headers.length > 0 && (
        <>
          <h3>{words.access.headersSeen}</h3>
          <ul class="header-fates">
            {headers.map(({ name, value, fate, why }, at) => (
              <li key={`${at} ${name}`} class="row">
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

const eventFacts = (found: Explanation): readonly Fact[] => [
  [words.ui.common.user, found.user ?? words.access.anonymous],
  [words.ui.common.role, found.role],
  [
    words.ui.common.cameras,
    found.cameras === 'all'
      ? words.ui.common.allCameras
      : found.cameras && <FewNames names={found.cameras.map(cameraName)} none={words.ui.common.noCameras} />,
  ],
  [words.access.limits, found.limits?.join('; ')],
  [words.access.secret, found.secret],
  [words.access.token, found.token],
  [words.access.groups, found.groups?.length ? <FewNames names={found.groups} none="" /> : undefined],
  [words.access.rule, found.rule],
  [
    words.access.route,
    found.route && (
      <>
        <code>
          <bdi>{found.route.route}</bdi>
        </code>
        <span class="fact-more">
          {words.access.needs(found.route)}; {found.route.row ? <code>{found.route.row}</code> : words.access.noRow}
        </span>
      </>
    ),
  ],
];
