/** Settings > Overview: who one is here, with one's own authenticator app, passkeys and recovery codes; of a person who must set them up, these alone (SPEC 12). */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type FactorState, firstSteps, hasFactor, isAdmin, sendPasskey, useProfile } from '../shared/account.ts';
import type { AnswerOf, SessionRecord, UserRecord } from '../shared/answers.ts';
import { goOn, sendToApi, useFetched, useList, valueOr } from '../shared/api.ts';
import { isPhone } from '../shared/browser.ts';
import { TextField, TitleField } from '../shared/fields.tsx';
import { type Act, Acts, asking, FormDialog, leave, PanelForm, reload, removal, useDialogs } from '../shared/forms.tsx';
import { CopyButton } from '../shared/new-secret.tsx';
import { Button, Facts, SecurityLink } from '../shared/parts.tsx';
import { isAdminWithLogin, Slot } from '../shared/pieces.tsx';
import { RecordTable } from '../shared/record-table.tsx';
import { Badge, pathTo, RecordsPage, renaming } from '../shared/records-page.tsx';
import { createPasskey, hasPasskeysFor } from '../shared/webauthn.ts';
import { cameraName, deviceName, facts, shortList, words } from '../shared/words.ts';

export function TwoStep() {
  const profile = useProfile();
  const { second_factor_required: isFirst } = profile;
  const text = words.secondFactor;
  const hasHouse = !isFirst && isAdminWithLogin(profile);
  const [users] = useList<UserRecord>(hasHouse && 'api/users');
  const [factors, again] = useFetched<FactorState>('api/second-factor');
  return (
    <RecordsPage
      title={isFirst ? text.title : words.account.title}
      lead={isFirst ? text.leadRequired : words.account.lead}
      // Both come at once: one that came later would push the other away.
      fetched={[hasHouse && users.kind === 'loading' ? users : factors, again]}
    >
      {(state) => (
        <>
          <Factors state={state}>
            {hasHouse && <FirstSteps state={state} hasOthers={users.kind !== 'ready' || users.value.length > 1} />}
          </Factors>
          {!isFirst && <Person />}
          {!isFirst && <Slot name="account" />}
        </>
      )}
    </RecordsPage>
  );
}

const way = (path: string, text: string) => <Link href={`/settings/${path}`}>{text}</Link>;

/** The first steps of an admin: what is open, with its way, before what is done; gone once all of it is done. */
function FirstSteps({ state, hasOthers }: { state: FactorState; hasOthers: boolean }) {
  const { title } = words.secondFactor;
  const invite = way('users?invite', words.invitations.invite);
  const done = { factor: title, users: words.users.title };
  const ways = { factor: <a href={`${location.pathname}#factors`}>{title}</a>, users: invite };
  const steps = firstSteps(state, hasOthers);
  const open = steps.filter(([, isDone]) => !isDone);
  if (open.length === 0) return null;
  return (
    <section class="form panel">
      <h2 class="form-title">
        {words.account.steps} <Badge text={words.account.left({ left: open.length, all: steps.length })} />
      </h2>
      <ul class="steps">
        {[...open, ...steps.filter(([, isDone]) => isDone)].map(([step, isDone]) => (
          <li key={step}>{(isDone ? done : ways)[step]}</li>
        ))}
      </ul>
    </section>
  );
}

/** What one may see, and where one is logged in. */
function Person() {
  const { username, role, allowed_cameras: cameras } = useProfile();
  const seesAll = role === 'admin' || role === 'viewer';
  const seen = seesAll ? words.users.sees.all({ cameras: cameras.length }) : shortList(cameras.map(cameraName));
  const own = valueOr(useList<SessionRecord>('api/sessions')[0], []).filter(({ user }) => user === username);
  const devices = shortList([...new Set(own.map(({ name, agent }) => name ?? deviceName(agent)))]);
  return (
    <section class="form panel">
      <h2 class="form-title">
        <bdi>{username}</bdi> <Badge text={role} kind={role === 'admin' ? 'strong' : 'plain'} />
      </h2>
      <Facts
        rows={[
          [words.ui.common.cameras, seen || words.ui.common.noCameras],
          [words.passwords.change.title, way('password', words.ui.menu.changePassword)],
          [words.sessions.title, way('sessions', `${words.sessions.counted({ number: own.length })} · ${devices}`)],
        ]}
      />
    </section>
  );
}

type TotpOffer = AnswerOf<'TOTP_OFFER'>;
/** What stands in the place of the lists: an offer to take, or recovery codes to keep. */
type Shown = TotpOffer | readonly string[];
type PasskeyRecord = FactorState['passkeys'][number];

/** Given the recovery codes to show; none when there are some already. */
type OnCodes = (codes: readonly string[]) => void;

const codesIn = (body: unknown): readonly string[] => (body as AnswerOf<'RECOVERY_CODES'>).recovery_codes;

/** `children`: what stands before the lists. */
function Factors({ state, children }: { state: FactorState; children: ComponentChildren }) {
  const profile = useProfile();
  const page = useDialogs();
  const [shown, show] = useState<Shown>();
  useEffect(() => {
    if (!shown) return;
    document.getElementById('content')?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [shown]);
  /** A user who had to do this first goes where the login would have led. */
  const finish = (): void => {
    if (profile.second_factor_required) return void leave(goOn);
    show(undefined);
    page.say(words.secondFactor.isSetUp);
    page.again();
  };
  const onConfirmed: OnCodes = (made) => (made.length > 0 ? show(made) : finish());
  if (shown && 'qr' in shown) return <TotpSetup offer={shown} {...{ onConfirmed }} onCancel={() => show(undefined)} />;
  if (shown) return <RecoveryCodes codes={shown} onDone={finish} />;
  if (state.off && !hasFactor(state)) return children;
  const lists = [
    <FactorList key="app" {...{ state, show }} />,
    <Passkeys key="passkeys" state={state} onAdded={onConfirmed} />,
  ];
  // On a phone passkeys come first: a fingerprint or the face opens one.
  if (isPhone() && hasPasskeysFor(facts.passkeyOrigin)) lists.reverse();
  return [children, ...lists];
}

/** The authenticator app, and the recovery codes of a person who has a factor. */
function FactorList({ state, show }: { state: FactorState; show: (shown: Shown) => void }) {
  const { totp: isOn, required: isRequired, recovery_codes_left: left } = state;
  const text = words.secondFactor;
  const instead = isRequired ? { what: text.removeRequired, done: reload } : {};
  const setUp: Act = {
    ...(isOn ? { text: text.replace } : { text: text.setUp, kind: 'strong' }),
    atOnce: { send: () => sendToApi('POST', 'api/second-factor/totp'), done: (body) => show(body as TotpOffer) },
  };
  const newCodes = asking(
    { act: text.newCodes, title: text.newCodes, what: text.newCodesWhat },
    {},
    () => sendToApi('POST', 'api/second-factor/recovery-codes'),
    { next: (body) => void show(codesIn(body)) },
  );
  return (
    <section id="factors" class="form panel">
      <h2 class="form-title">
        {text.app} <Badge text={isOn ? text.on : text.off} kind={isOn ? 'strong' : 'plain'} />
      </h2>
      <p class="page-lead">{text.appWhat}</p>
      {hasFactor(state) && <p>{`${text.codes} · ${text.codesLeft}: ${left}`}</p>}
      <Acts
        acts={[
          setUp,
          ...(isOn ? [removal(text.remove, {}, 'api/second-factor/totp', instead)] : []),
          ...(hasFactor(state) ? [newCodes] : []),
        ]}
      />
    </section>
  );
}

/** Sets up an authenticator app: the secret as a picture and as text, and its first code. */
function TotpSetup({ offer, onConfirmed, onCancel }: { offer: TotpOffer; onConfirmed: OnCodes; onCancel: () => void }) {
  const text = words.secondFactor;
  return (
    <PanelForm
      {...{ onCancel }}
      submit={text.confirm}
      first={{ code: '' }}
      onSubmit={(typed) => sendToApi('POST', 'api/second-factor/totp/confirm', typed)}
      onSent={(_, body) => onConfirmed(codesIn(body))}
    >
      {({ field }) => (
        <>
          <h2 class="form-title">{text.setUp}</h2>
          {isPhone() && (
            <a class="button" href={offer.uri}>
              {text.openApp}
            </a>
          )}
          <p>{text.scan}</p>
          <img class="qr-code" src={`data:image/svg+xml,${encodeURIComponent(offer.qr)}`} alt={text.picture} />
          <p>{text.byHand}</p>
          <p class="secret">
            <code>{offer.secret.replace(/.{4}(?=.)/g, '$& ')}</code>
            <CopyButton text={offer.secret} />
          </p>
          <TextField
            label={words.ui.common.code}
            help={text.firstCode}
            autocomplete="one-time-code"
            isNumeric
            {...field('code')}
          />
        </>
      )}
    </PanelForm>
  );
}

/** Recovery codes, shown once: to copy, to save as a file, or to print. */
function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const name = useProfile().username;
  const text = codes.join('\n');
  const file = `${words.secondFactor.fileTitle({ name, host: location.host })}\n\n${text}\n`;
  return (
    <section class="panel recovery-codes">
      <h2 class="form-title">{words.secondFactor.codes}</h2>
      <p class="notice notice-warn">{words.secondFactor.keepCodes}</p>
      <ol class="code-list" dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <p class="row form-actions">
        <CopyButton text={text} />
        <a
          class="button"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
          download={`postern-recovery-codes-${name}.txt`}
        >
          {words.secondFactor.saveFile}
        </a>
        <Button onPress={() => print()}>{words.secondFactor.print}</Button>
        <Button kind="strong" onPress={onDone}>
          {words.secondFactor.kept}
        </Button>
      </p>
    </section>
  );
}

const PATH = 'api/second-factor/passkeys';
const pathOf = ({ id }: PasskeyRecord): string => pathTo(PATH, id);

function Passkeys({ state, onAdded }: { state: FactorState; onAdded: OnCodes }) {
  const { passkeyOrigin: origin } = facts;
  const isForAdmin = isAdmin(useProfile());
  const text = words.passkeys;
  return (
    <section class="form panel">
      <h2 class="form-title">{text.title}</h2>
      <p class="page-lead">{text.what}</p>
      <RecordTable
        caption={text.title}
        rows={state.passkeys}
        columns={[
          { title: text.name, text: ({ name }) => name },
          { title: text.added, at: ({ created_at }) => created_at },
          { title: text.lastUsed, at: ({ last_used_at }) => last_used_at },
        ]}
        acts={(passkey) => [
          renaming(pathOf(passkey), passkey.name, { title: text.renameOne(passkey), done: text.renamed }),
          removal(text.remove, passkey, pathOf(passkey), state.required ? { done: reload } : {}),
        ]}
      />
      {origin === '' ? (
        <p class="notice">
          {isForAdmin ? text.offForAdmins : text.off} {isForAdmin && <SecurityLink />}
        </p>
      ) : hasPasskeysFor(origin) ? (
        <Acts acts={[{ text: text.add, dialog: () => <AddPasskey onAdded={onAdded} /> }]} />
      ) : (
        <p class="notice">{text.elsewhere({ origin })}</p>
      )}
    </section>
  );
}

function AddPasskey({ onAdded }: { onAdded: OnCodes }) {
  const text = words.passkeys;
  return (
    <FormDialog
      title={text.add}
      submit={text.addNow}
      first={{ name: deviceName(navigator.userAgent) }}
      onSubmit={(named) => sendPasskey(PATH, createPasskey, text.problems, named)}
      next={(body) => void onAdded(codesIn(body))}
    >
      {({ field }) => (
        <>
          <p>{text.addWhat}</p>
          <TitleField label={text.name} help={text.nameHelp} {...field('name')} />
        </>
      )}
    </FormDialog>
  );
}
