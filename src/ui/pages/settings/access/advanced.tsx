/** Settings > Access, advanced: how a request with method and path would be decided, and why (SPEC 1, `explain`). */
import { useState } from 'preact/hooks';
import { getFromApi } from '../../shared/api.ts';
import { Choice } from '../../shared/forms/choice.tsx';
import { SelectField, TextArea, TextField } from '../../shared/forms/form-fields.tsx';
import { PanelForm } from '../../shared/forms/panel-form.tsx';
import type { Sent } from '../../shared/forms/use-form.ts';
import { words } from '../../shared/words.ts';
import { Judgement } from './judgement.tsx';
import { type Explanation, readExplanation } from './read-access.ts';

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

export function DescribedRequest({ hasOwnLogin, names }: { hasOwnLogin: boolean; names: readonly string[] }) {
  const text = words.access;
  const [result, setResult] = useState<Explanation>();
  const ask = async ({ caller, user, headers, peer, method, path }: typeof FIRST): Promise<Sent> => {
    setResult(undefined);
    if (!path.startsWith('/')) return { faults: { path: text.pathUnfit } };
    const query = new URLSearchParams({ method, path });
    if (caller === 'user') query.set('user', user || (names[0] ?? ''));
    if (caller === 'headers') for (const line of linesOf(headers)) query.append('header', line);
    if (peer.trim() !== '') query.set('peer', peer.trim());
    const response = await getFromApi(`api/explain?${query}`);
    return response.kind === 'ok' && !readExplanation(response.body) ? words.ui.common.unreadable : response;
  };
  return (
    <>
      <p class="page-lead">{text.advancedLead}</p>
      <PanelForm
        submit={text.ask}
        submitting={text.asking}
        first={hasOwnLogin ? { ...FIRST, caller: 'user' } : FIRST}
        onSubmit={ask}
        onSent={(_, body) => setResult(readExplanation(body))}
      >
        {({ values: { caller, user }, put, field }) => (
          <>
            <Choice
              name="callerKind"
              legend={text.who}
              isLegendShown
              options={callerKinds(hasOwnLogin)}
              chosen={caller}
              onChoose={(kind) => put({ caller: kind })}
            />
            {caller === 'user' && (
              <SelectField
                label={words.ui.common.user}
                {...field('user')}
                value={user || (names[0] ?? '')}
                options={names.map((name) => [name, name] as const)}
              />
            )}
            {caller === 'headers' && (
              <>
                <TextArea label={text.headers} help={text.headersHelp} {...field('headers')} />
                <TextField label={text.peer} help={text.peerHelp} isOptional {...field('peer')} />
              </>
            )}
            <div class="form-row">
              <SelectField
                label={text.method}
                {...field('method')}
                options={METHODS.map((name) => [name, name] as const)}
              />
              <TextField label={text.path} help={text.pathHelp} {...field('path')} />
            </div>
          </>
        )}
      </PanelForm>
      <div role="status">{result && <Judgement explanation={result} />}</div>
    </>
  );
}

function callerKinds(hasOwnLogin: boolean): readonly (readonly [CallerKind, string])[] {
  const user = ['user', words.access.asUser] as const;
  const others = [
    ['headers', words.access.asHeaders],
    ['anonymous', words.access.asAnonymous],
  ] as const;
  return hasOwnLogin ? [user, ...others] : others;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
