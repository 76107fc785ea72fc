/** Settings > Security: two-step login, time zone and public address, written into the configuration file (SPEC 1, 12). */
import { useState } from 'preact/hooks';
import { sendToApi } from '../../shared/api.ts';
import { CopyButton } from '../../shared/copy-button.tsx';
import { type FormProblem, faultsIn } from '../../shared/forms/form-faults.ts';
import { PanelForm } from '../../shared/forms/panel-form.tsx';
import { formProblemOf } from '../../shared/forms/problem-of.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import type { SecurityRecord } from '../account-records.ts';
import { RecordsPage } from '../records.tsx';
import { changesOf, choiceOf, faultOf } from './read-security.ts';
import { SecurityFields } from './security-fields.tsx';
import { fileLines, SECURITY_FIELDS, type SecurityChoice, variableLines } from './security-lines.ts';

export function Security() {
  const [settings, again] = useFetched('api/status/security', (body) => body as SecurityRecord);
  const [done, setDone] = useState('');
  const onSaved = (): void => {
    setDone(words.security.saved);
    again();
  };
  return (
    <RecordsPage title={words.security.title} lead={words.security.lead} done={done} fetched={settings} onRetry={again}>
      {(known) => <SecurityForm settings={known} onSaved={onSaved} onSend={() => setDone('')} />}
    </RecordsPage>
  );
}

interface SecurityFormProps {
  readonly settings: SecurityRecord;
  readonly onSend: () => void;
  readonly onSaved: () => void;
}

function SecurityForm({ settings: { file, writable, keys }, onSend, onSaved }: SecurityFormProps) {
  const before = choiceOf(keys);
  const [choice, setChoice] = useState(before);
  const [problem, setProblem] = useState<FormProblem>('');
  const [isBusy, setIsBusy] = useState(false);
  const text = words.security;
  const save = async (): Promise<void> => {
    const changes = changesOf(choice, before);
    const faults = SECURITY_FIELDS.map((field) => [field, faultOf(field, changes[field])] as const);
    const wrong = faultsIn(Object.fromEntries(faults.map(([field, fault]) => [field, fault && text[fault]])));
    onSend();
    setProblem(wrong ?? '');
    if (wrong !== undefined) return;
    setIsBusy(true);
    const response = await sendToApi('PUT', 'api/status/security', changes);
    setIsBusy(false);
    if (response.kind !== 'ok') return setProblem(formProblemOf(response));
    // Who must set up a second step now sees that page alone.
    if ('second_factor' in changes) return location.reload();
    onSaved();
  };
  const fields = <SecurityFields {...{ keys, choice }} onChange={setChoice} />;
  if (!writable)
    return (
      <div class="form panel">
        <p class="notice notice-warn">{text.notWritable({ file })}</p>
        {fields}
        <Lines choice={choice} />
      </div>
    );
  return (
    <PanelForm
      submit={words.ui.common.save}
      submitting={words.ui.common.saving}
      onSubmit={save}
      {...{ isBusy, problem, setProblem }}
    >
      {fields}
    </PanelForm>
  );
}

function Lines({ choice }: { choice: SecurityChoice }) {
  const { file, fileHelp, variables, variablesHelp } = words.security;
  const blocks = [
    [file, fileHelp, fileLines(choice)],
    [variables, variablesHelp, variableLines(choice)],
  ] as const;
  return (
    <>
      {blocks.map(([title, help, lines]) => (
        <div key={title} class="secret">
          <h2 class="form-title">{title}</h2>
          <p>{help}</p>
          <pre class="code-block" dir="ltr">
            {lines}
          </pre>
          <CopyButton key={lines} text={lines} />
        </div>
      ))}
    </>
  );
}
