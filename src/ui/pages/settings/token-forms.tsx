/** Dialogs of Settings > API tokens: create a token, and show its secret once (SPEC 4.4). */
import { useState } from 'preact/hooks';
import type { Profile } from '../shared/account/profile.ts';
import { sendToApi } from '../shared/api.ts';
import { isFields, textOf } from '../shared/forms/fields.ts';
import { FormDialog } from '../shared/forms/form-dialog.tsx';
import { type FormProblem, faultsIn } from '../shared/forms/form-faults.ts';
import { SelectField, Switch, TextField } from '../shared/forms/form-fields.tsx';
import { formProblemOf } from '../shared/forms/problem-of.ts';
import { NewSecret } from '../shared/new-secret.tsx';
import { nameableCameras, useSites } from '../shared/sites.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { type RoleRecord, recordsIn } from './account-records.ts';
import { CameraChoice } from './camera-choice.tsx';

export type TokenLifetime = keyof typeof words.tokens.lifetimes;

const DAY_SECONDS = 86_400;

// biome-ignore format: a table
export const LIFETIMES: Readonly<Record<TokenLifetime, number | undefined>> = {
  days30:  30 * DAY_SECONDS,
  days90:  90 * DAY_SECONDS,
  year:    365 * DAY_SECONDS,
  never:   undefined,
};

/** `logsInAs`: the user name that goes with it where a program logs in; absent: it is sent in a header. */
export interface MadeSecret {
  readonly secret: string;
  readonly logsInAs?: string;
}

interface MakeTokenProps {
  readonly profile: Profile;
  readonly onMade: (made: MadeSecret) => void;
  readonly onClose: () => void;
}

export function MakeToken({ profile, onMade, onClose }: MakeTokenProps) {
  const isAdmin = profile.role === 'admin';
  const [roles] = useFetched(isAdmin ? 'api/roles' : undefined, recordsIn<RoleRecord>);
  const cameras = nameableCameras(profile, useSites());
  const [name, setName] = useState('');
  const [role, setRole] = useState(isAdmin ? 'viewer' : profile.role);
  const [entries, setEntries] = useState<readonly string[]>();
  const [managesAccounts, setManagesAccounts] = useState(false);
  const [login, setLogin] = useState(false);
  const [isForCurtain, setForCurtain] = useState(false);
  const [lifetime, setLifetime] = useState<string>('year');
  const mayManage = role === 'admin' && entries === undefined;
  const make = async (): Promise<FormProblem | undefined> => {
    const wrong = faultsIn({
      name: name.trim() === '' ? words.tokens.nameMissing : undefined,
      cameras: entries?.length === 0 && !isForCurtain ? words.roles.needsOne : undefined,
    });
    if (wrong !== undefined) return wrong;
    const seconds = LIFETIMES[lifetime as TokenLifetime];
    const expires_at = seconds === undefined ? null : Math.floor(Date.now() / 1000) + seconds;
    const manage_accounts = mayManage && managesAccounts;
    const narrowed = entries ? { cameras: entries } : {};
    const given = isForCurtain ? { rights: ['curtain'] } : { role, ...narrowed, manage_accounts, login };
    const body = { name: name.trim(), ...given, expires_at };
    const response = await sendToApi('POST', 'api/tokens', body);
    if (response.kind !== 'ok') return formProblemOf(response);
    const secret = isFields(response.body) ? textOf(response.body['token']) : undefined;
    if (secret === undefined) return words.ui.common.unreadable;
    onMade({ secret, ...(login && !isForCurtain && { logsInAs: profile.name }) });
    return undefined;
  };
  const offered = roles.kind === 'ready' ? roles.value.map((known) => known.role) : [role];
  return (
    <FormDialog title={words.tokens.add} submit={words.tokens.create} onSubmit={make} onClose={onClose}>
      <TextField name="name" label={words.tokens.name} value={name} onChange={setName} help={words.tokens.nameHelp} />
      {isAdmin && (
        <Switch isOn={isForCurtain} onChange={setForCurtain}>
          {words.tokens.forCurtain}
        </Switch>
      )}
      {!isForCurtain && (
        <>
          <Switch isOn={login} onChange={setLogin}>
            {words.tokens.login}
          </Switch>
          <p class="field-help">{words.tokens.loginHelp}</p>
          <SelectField
            label={words.ui.common.role}
            value={role}
            onChange={setRole}
            options={offered.map((option) => [option, option] as const)}
          />
          <Switch isOn={entries !== undefined} onChange={(isOn) => setEntries(isOn ? [] : undefined)}>
            {words.tokens.narrow}
          </Switch>
          {mayManage && (
            <Switch isOn={managesAccounts} onChange={setManagesAccounts}>
              {words.tokens.manageAccounts}
            </Switch>
          )}
          {entries && <CameraChoice known={cameras} entries={entries} onChange={setEntries} />}
        </>
      )}
      <SelectField
        label={words.tokens.lifetime}
        value={lifetime}
        onChange={setLifetime}
        options={Object.entries(words.tokens.lifetimes)}
      />
    </FormDialog>
  );
}

export const MadeToken = ({ made: { secret, logsInAs }, onClose }: { made: MadeSecret; onClose: () => void }) => (
  <NewSecret title={words.tokens.createdTitle} warning={words.tokens.createdWhat} secret={secret} onClose={onClose}>
    {logsInAs !== undefined && <p>{words.tokens.useAtLogin({ user: logsInAs })}</p>}
    <p>{logsInAs === undefined ? words.tokens.use : words.tokens.useToo}</p>
    <pre class="code-block" dir="ltr">{`Authorization: Bearer ${secret.slice(0, 8)}…`}</pre>
    <p class="field-help">{words.tokens.basic}</p>
  </NewSecret>
);
