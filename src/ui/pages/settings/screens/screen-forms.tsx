/** Dialogs of Settings > Screens: type the code of a display, confirm or deny the display, change a screen (SPEC 18). */
import { useRef, useState } from 'preact/hooks';
import type { Profile } from '../../shared/account/profile.ts';
import { sendToApi } from '../../shared/api.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { type FormProblem, faultsIn } from '../../shared/forms/form-faults.ts';
import { SelectField, Switch, TextField } from '../../shared/forms/form-fields.tsx';
import { problemOf } from '../../shared/forms/problem-of.ts';
import { formatShortMoment } from '../../shared/times.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import type { ScreenDevice, ScreenRecord } from '../account-records.ts';
import { CameraChoice } from '../camera-choice.tsx';
import { deviceName } from '../device-name.ts';
import { LIFETIMES, type TokenLifetime } from '../token-forms.tsx';
import { settled } from '../users/user-forms.tsx';

interface ScreenFormProps {
  readonly profile: Profile;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

/** What the QR code of a display has led here with; '' for none. */
export const codeInAddress = (): string => new URLSearchParams(location.search).get('code') ?? '';

/** `code`: the letters of a display; '' while they are not known. */
export function PairScreen({ code, onClose, ...props }: ScreenFormProps & { readonly code: string }) {
  const [typed, setTyped] = useState(code);
  const [letters, setLetters] = useState(code);
  const isTyped = useRef(false);
  const close = (): void => {
    // A page that is loaded again must not open the form of a code that is over.
    if (codeInAddress() !== '') history.replaceState(null, '', location.pathname);
    onClose();
  };
  if (letters !== '') return <ConfirmScreen {...props} code={letters} onClose={close} />;
  const next = async (): Promise<undefined> => {
    isTyped.current = true;
    setLetters(typed.trim());
  };
  return (
    <FormDialog
      title={words.screens.pair}
      submit={words.screens.next}
      onSubmit={next}
      onClose={() => isTyped.current || close()}
    >
      <TextField
        name="user_code"
        label={words.screens.code}
        value={typed}
        onChange={setTyped}
        help={words.screens.codeHelp}
      />
    </FormDialog>
  );
}

/** Nothing is confirmed but by the button: whoever has sent this address may be the one with the display. */
function ConfirmScreen({ profile, code, onDone, onClose }: ScreenFormProps & { readonly code: string }) {
  const [device] = useFetched(`api/screens/code?user_code=${encodeURIComponent(code)}`, asDevice);
  const [name, setName] = useState('');
  const [entries, setEntries] = useState<readonly string[]>();
  const [lifetime, setLifetime] = useState<string>('never');
  const confirm = async (): Promise<FormProblem | undefined> => {
    if (device.kind !== 'ready') return device.kind === 'failed' ? device.problem : words.ui.common.loading;
    const wrong = faultsOfScreen(name, entries);
    if (wrong !== undefined) return wrong;
    const seconds = LIFETIMES[lifetime as TokenLifetime];
    const ends_at = seconds === undefined ? null : Math.floor(Date.now() / 1000) + seconds;
    const body = { user_code: code, name: name.trim(), cameras: entries ?? null, ends_at };
    return settled(await sendToApi('POST', 'api/screens/confirm', body), () =>
      onDone(words.screens.paired({ name: name.trim() })),
    );
  };
  const deny = async (): Promise<void> => {
    const response = await sendToApi('POST', 'api/screens/deny', { user_code: code });
    onDone(response.kind === 'ok' ? words.screens.denied : problemOf(response));
    onClose();
  };
  return (
    <FormDialog title={words.screens.pair} submit={words.screens.confirm} onSubmit={confirm} onClose={onClose}>
      {device.kind === 'loading' && <p role="status">{words.ui.common.loading}</p>}
      {device.kind === 'failed' && (
        <p class="notice notice-bad" role="alert">
          {device.problem}
        </p>
      )}
      {device.kind === 'ready' && (
        <>
          <p>{words.screens.asks}</p>
          <p class="screen-device">
            <strong>
              <bdi>{deviceName(device.value.agent ?? '')}</bdi>
            </strong>{' '}
            <bdi>{words.tokens.from({ address: device.value.address })}</bdi>,{' '}
            {words.screens.since({ time: formatShortMoment(device.value.created_at) })}
          </p>
          <p>
            {words.screens.compare} <strong translate={false}>{lettersIn(code)}</strong>
          </p>
          <p class="notice notice-warn">{words.screens.warning}</p>
          <ScreenName value={name} onChange={setName} />
          <ScreenCameras {...{ profile, entries }} onChange={setEntries} />
          <SelectField
            label={words.tokens.lifetime}
            value={lifetime}
            onChange={setLifetime}
            options={Object.entries(words.tokens.lifetimes)}
          />
          <p>
            <button class="button button-bad" type="button" onClick={() => void deny()}>
              {words.screens.deny}
            </button>
          </p>
        </>
      )}
    </FormDialog>
  );
}

/** The letters as the display shows them, however they were typed: another display has others. */
const lettersIn = (code: string): string =>
  code
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '')
    .replace(/^.{4}/, '$&-');

const asDevice = (body: unknown): ScreenDevice => body as ScreenDevice;

const faultsOfScreen = (name: string, entries: readonly string[] | undefined): FormProblem | undefined =>
  faultsIn({
    name: name.trim() === '' ? words.tokens.nameMissing : undefined,
    cameras: entries?.length === 0 ? words.roles.needsOne : undefined,
  });

const ScreenName = (field: { readonly value: string; readonly onChange: (name: string) => void }) => (
  <TextField name="name" label={words.tokens.name} help={words.screens.nameHelp} {...field} />
);

interface ScreenCamerasProps {
  readonly profile: Profile;
  /** Undefined: all that the person sees. */
  readonly entries: readonly string[] | undefined;
  readonly onChange: (entries: readonly string[] | undefined) => void;
}

const ScreenCameras = ({ profile, entries, onChange }: ScreenCamerasProps) => (
  <>
    <Switch isOn={entries !== undefined} onChange={(isOn) => onChange(isOn ? [] : undefined)}>
      {words.tokens.narrow}
    </Switch>
    {entries && <CameraChoice known={profile.cameras} entries={entries} onChange={onChange} isOfNames />}
  </>
);

export function ChangeScreen({
  profile,
  screen,
  onDone,
  onClose,
}: ScreenFormProps & { readonly screen: ScreenRecord }) {
  const [name, setName] = useState(screen.name);
  const [entries, setEntries] = useState<readonly string[] | undefined>(screen.cameras ?? undefined);
  const isSame = JSON.stringify(entries ?? null) === JSON.stringify(screen.cameras);
  const change = async (): Promise<FormProblem | undefined> => {
    const wrong = faultsOfScreen(name, entries);
    if (wrong !== undefined) return wrong;
    const body = { name: name.trim(), ...(!isSame && { cameras: entries ?? null }) };
    return settled(await sendToApi('PATCH', `api/screens/${encodeURIComponent(screen.id)}`, body), () =>
      onDone(words.screens.changed({ name: name.trim() })),
    );
  };
  return (
    <FormDialog title={screen.name} submit={words.ui.common.save} onSubmit={change} onClose={onClose}>
      <ScreenName value={name} onChange={setName} />
      <ScreenCameras {...{ profile, entries }} onChange={setEntries} />
    </FormDialog>
  );
}
