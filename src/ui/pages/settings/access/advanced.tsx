/** Settings > Access, advanced: how a request with method and path would be decided, and why (SPEC 1, `explain`). */
import { useState } from 'preact/hooks';
import { getFromApi } from '../../shared/api.ts';
import { Choice } from '../../shared/forms/choice.tsx';
import type { FormProblem } from '../../shared/forms/form-faults.ts';
import { SelectField, TextArea, TextField } from '../../shared/forms/form-fields.tsx';
import { PanelForm } from '../../shared/forms/panel-form.tsx';
import { problemOf } from '../../shared/forms/problem-of.ts';
import { words } from '../../shared/words.ts';
import { type Explanation, readExplanation } from './explanation.ts';
import { Judgement } from './judgement.tsx';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'WS'] as const;

type CallerKind = 'user' | 'headers' | 'anonymous';

export function DescribedRequest({ hasOwnLogin, names }: { hasOwnLogin: boolean; names: readonly string[] }) {
  const [callerKind, setCallerKind] = useState<CallerKind>(hasOwnLogin ? 'user' : 'headers');
  const [user, setUser] = useState('');
  const [headers, setHeaders] = useState('');
  const [peer, setPeer] = useState('');
  const [method, setMethod] = useState('GET');
  const [path, setPath] = useState('/api/events');
  const [result, setResult] = useState<Explanation>();
  const [problem, setProblem] = useState<FormProblem>('');
  const [isBusy, setIsBusy] = useState(false);

  const ask = async (): Promise<void> => {
    setResult(undefined);
    if (!path.startsWith('/')) return setProblem({ faults: { path: words.access.pathUnfit } });
    setProblem('');
    setIsBusy(true);
    const query = new URLSearchParams({ method, path });
    if (callerKind === 'user') query.set('user', user || (names[0] ?? ''));
    if (callerKind === 'headers') for (const line of linesOf(headers)) query.append('header', line);
    if (peer.trim() !== '') query.set('peer', peer.trim());
    const response = await getFromApi(`api/explain?${query}`);
    setIsBusy(false);
    if (response.kind !== 'ok') return setProblem(problemOf(response));
    const explanation = readExplanation(response.body);
    if (explanation) setResult(explanation);
    else setProblem(words.ui.common.unreadable);
  };
  return (
    <>
      <p class="page-lead">{words.access.advancedLead}</p>
      <PanelForm
        submit={words.access.ask}
        submitting={words.access.asking}
        onSubmit={ask}
        {...{ isBusy, problem, setProblem }}
      >
        <Choice
          name="callerKind"
          legend={words.access.who}
          isLegendShown
          options={callerKinds(hasOwnLogin)}
          chosen={callerKind}
          onChoose={setCallerKind}
        />
        {callerKind === 'user' && (
          <SelectField
            label={words.ui.common.user}
            value={user || (names[0] ?? '')}
            onChange={setUser}
            options={names.map((name) => [name, name] as const)}
          />
        )}
        {callerKind === 'headers' && (
          <>
            <TextArea
              label={words.access.headers}
              value={headers}
              onChange={setHeaders}
              help={words.access.headersHelp}
            />
            <TextField
              label={words.access.peer}
              value={peer}
              onChange={setPeer}
              help={words.access.peerHelp}
              isOptional
            />
          </>
        )}
        <div class="form-row">
          <SelectField
            label={words.access.method}
            value={method}
            onChange={setMethod}
            options={METHODS.map((name) => [name, name] as const)}
          />
          <TextField
            name="path"
            label={words.access.path}
            value={path}
            onChange={setPath}
            help={words.access.pathHelp}
          />
        </div>
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
