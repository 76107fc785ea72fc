/** Settings > Security: two-step login, time zone and public address, written into the configuration file (SPEC 1, 12). */
import { useState } from 'preact/hooks';
import { sendToApi } from '../../shared/api.ts';
import { CopyButton } from '../../shared/copy-button.tsx';
import { type FormProblem, faultsIn } from '../../shared/forms/form-faults.ts';
import { PanelForm } from '../../shared/forms/panel-form.tsx';
import { formProblemOf } from '../../shared/forms/problem-of.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import { RecordsPage } from '../records.tsx';
import { changesOf, faultOf, readSecurity, SECURITY_FIELDS, type SecuritySettings } from './read-security.ts';
import { SecurityFields } from './security-fields.tsx';
import { fileLines, type SecurityChoice, variableLines } from './security-lines.ts';

export function Security() {
  const [settings, again] = useFetched('api/status/security', readSecurity);
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
  readonly settings: SecuritySettings;
  readonly onSend: () => void;
  readonly onSaved: () => void;
}

function SecurityForm({ settings, onSend, onSaved }: SecurityFormProps) {
  const { choice: before, file, isWritable } = settings;
  const [choice, setChoice] = useState(before);
  const [problem, setProblem] = useState<FormProblem>('');
  const [isBusy, setIsBusy] = useState(false);
  const text = words.security;
  const save = async (): Promise<void> => {
    const wrong = faultsIn(
      Object.fromEntries(
        SECURITY_FIELDS.map((field) => {
          const fault = faultOf(field, choice, before);
          return [field, fault && text[fault]];
        }),
      ),
    );
    onSend();
    setProblem(wrong ?? '');
    if (wrong !== undefined) return;
    setIsBusy(true);
    const changes = changesOf(choice, before);
    const response = await sendToApi('PUT', 'api/status/security', changes);
    setIsBusy(false);
    if (response.kind !== 'ok') return setProblem(formProblemOf(response));
    // Who must set up a second step now sees that page alone.
    if ('second_factor' in changes) return location.reload();
    onSaved();
  };
  const fields = <SecurityFields {...{ settings, choice }} onChange={setChoice} />;
  if (!isWritable)
    return (
      <div class="form panel">
        <p class="notice notice-warn">{text.notWritable(file)}</p>
        {fields}
        <Lines choice={choice} />
      </div>
    );
  return (
    <>
      <PanelForm
        submit={words.common.save}
        submitting={words.common.saving}
        onSubmit={save}
        {...{ isBusy, problem, setProblem }}
      >
        {fields}
      </PanelForm>
      <details class="access-advanced">
        <summary>{text.lines}</summary>
        <div class="form panel">
          <Lines choice={choice} />
        </div>
      </details>
    </>
  );
}

function Lines({ choice }: { choice: SecurityChoice }) {
  const text = words.security;
  return (
    <>
      <h2 class="form-title">{text.file}</h2>
      <p>{text.fileHelp}</p>
      <Block text={fileLines(choice)} />
      <h2 class="form-title">{text.variables}</h2>
      <p>{text.variablesHelp}</p>
      <Block text={variableLines(choice)} />
    </>
  );
}

const Block = ({ text }: { text: string }) => (
  <div class="secret">
    <pre class="code-block" dir="ltr">
      {text}
    </pre>
    <CopyButton key={text} text={text} />
  </div>
);
