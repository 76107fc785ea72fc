/** Settings > Security: two-step login, time zone and public address, kept in the store (SPEC 8). */
import { useState } from 'preact/hooks';
import { sendToApi } from '../../shared/api.ts';
import { type FormProblem, faultsIn } from '../../shared/forms/form-faults.ts';
import { PanelForm } from '../../shared/forms/panel-form.tsx';
import { formProblemOf } from '../../shared/forms/problem-of.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import type { SecurityRecord } from '../account-records.ts';
import { RecordsPage } from '../records.tsx';
import { changesOf, choiceOf, faultOf, SECURITY_FIELDS } from './read-security.ts';
import { SecurityFields } from './security-fields.tsx';

export function Security() {
  const [settings, again] = useFetched('api/settings', (body) => body as SecurityRecord);
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

function SecurityForm({ settings, onSend, onSaved }: SecurityFormProps) {
  const before = choiceOf(settings);
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
    const response = await sendToApi('PUT', 'api/settings', changes);
    setIsBusy(false);
    if (response.kind !== 'ok') return setProblem(formProblemOf(response));
    // Who must set up a second step now sees that page alone.
    if ('second_factor' in changes) return location.reload();
    onSaved();
  };
  return (
    <PanelForm
      submit={words.ui.common.save}
      submitting={words.ui.common.saving}
      onSubmit={save}
      {...{ isBusy, problem, setProblem }}
    >
      <SecurityFields {...{ settings, choice }} onChange={setChoice} />
    </PanelForm>
  );
}
