/** Settings > Screens: displays that show cameras without a password on them, and pairing a new one by its code (SPEC 18). */
import { useEffect, useState } from 'preact/hooks';
import type { z } from 'zod';
import { isAdmin, useProfile } from '../../../ui/pages/shared/account.ts';
import { getFromApi, sendToApi, useFetched, useList } from '../../../ui/pages/shared/api.ts';
import { baseUrl } from '../../../ui/pages/shared/browser.ts';
import { NarrowedCameras } from '../../../ui/pages/shared/cameras/camera-choice.tsx';
import { endAfter, LifetimeField, TextField, TitleField } from '../../../ui/pages/shared/fields.tsx';
import { FormDialog, type FormState, removal } from '../../../ui/pages/shared/forms.tsx';
import { lastUseColumn, pathTo, ResourcePage, userColumn } from '../../../ui/pages/shared/records-page.tsx';
import { deviceName, formatShortMoment, words } from '../../../ui/pages/shared/words.ts';
import type { SCREEN_DEVICE } from '../pairing-routes.ts';
import type { SCREEN } from '../screen-routes.ts';

type ScreenRecord = z.output<typeof SCREEN>;

export function Screens() {
  const text = words.screens;
  // What the QR code of a display has led here with; '' for its short address, null for none.
  const [code] = useState(() => new URLSearchParams(location.search).get('code'));
  // A page that is loaded again must not open the form of a code that is over.
  useEffect(() => history.replaceState(null, '', location.pathname), []);
  return (
    <ResourcePage
      title={text.title}
      lead={text.lead}
      none={
        <>
          <h2>{text.none}</h2>
          <ol class="panel">
            <li>
              <Address />
            </li>
            <li>{text.steps.read}</li>
            <li>{text.steps.pair}</li>
          </ol>
        </>
      }
      fetched={useList<ScreenRecord>('api/screens')}
      first={code === '' ? <TypeCode /> : code && <ConfirmScreen code={code} />}
      pageActs={[{ text: text.pair, kind: 'strong', dialog: () => <TypeCode /> }]}
      columns={[
        {
          title: words.tokens.name,
          text: ({ name }) => name,
          note: ({ agent }) => (agent !== null ? deviceName(agent) : null),
        },
        isAdmin(useProfile()) && userColumn(),
        { title: words.ui.common.cameras, cameras: ({ cameras }) => cameras, none: text.all },
        { title: words.tokens.expires, at: ({ ends_at }) => ends_at, none: words.tokens.never },
        lastUseColumn<ScreenRecord>(({ last_seen_at: at, last_seen_from: from }) => ({ at, from })),
      ]}
      acts={(screen) => [
        { text: text.change, dialog: () => <ChangeScreen screen={screen} /> },
        removal(text.revoke, screen, pathTo('api/screens', screen.id)),
      ]}
    />
  );
}

/** Where a display shows its code. */
const Address = () => (
  <>
    {words.screens.steps.open} <strong translate={false}>{`${baseUrl.host}${baseUrl.pathname}postern/screen`}</strong>
  </>
);

/** Wrong letters stay in the field. */
function TypeCode({ code = '' }: { code?: string }) {
  const text = words.screens;
  return (
    <FormDialog
      title={text.pair}
      submit={text.next}
      first={{ user_code: code }}
      onSubmit={({ user_code }) => getFromApi(pathOfCode(user_code))}
      next={(_, { user_code }) => <ConfirmScreen code={user_code.trim()} />}
    >
      {({ field }) => (
        <>
          <p>
            <Address />
          </p>
          <div class="pairing-code">
            <TextField label={text.code} placeholder="ABCD-EFGH" {...field('user_code')} />
          </div>
        </>
      )}
    </FormDialog>
  );
}

const pathOfCode = (code: string): string => `api/screens/code?user_code=${encodeURIComponent(code.trim())}`;

/** What a screen is called, and shows. `cameras`: undefined: all that the person sees. */
type ScreenValues = { readonly name: string; readonly cameras: readonly string[] | undefined };

const ScreenFields = ({ field }: Pick<FormState<ScreenValues>, 'field'>) => (
  <>
    <TitleField label={words.tokens.name} help={words.screens.nameHelp} {...field('name')} />
    <NarrowedCameras known={useProfile().allowed_cameras} isOfNames {...field('cameras')} />
  </>
);

/** Nothing is confirmed but by the button: the sender of this address may be the one with the display. */
function ConfirmScreen({ code }: { code: string }) {
  const text = words.screens;
  const [device] = useFetched<z.output<typeof SCREEN_DEVICE>>(pathOfCode(code));
  // Neither cameras nor an end are chosen beforehand.
  const first: ScreenValues & { readonly lifetime: string } = { name: '', cameras: [], lifetime: '' };
  const deny = { send: () => sendToApi('POST', 'api/screens/deny', { user_code: code }), done: text.denied };
  if (device.kind === 'failed') return <TypeCode code={code} />;
  if (device.kind === 'loading') return null;
  const { agent, address, created_at: time } = device.value;
  // As the display shows them, however they were typed: another display has others.
  const letters = code.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return (
    <FormDialog
      title={text.pair}
      submit={text.confirm}
      first={first}
      onSubmit={({ name, cameras = null, lifetime }) => {
        const asked = { user_code: code, name: name.trim(), cameras, ends_at: endAfter(lifetime) };
        return sendToApi('POST', 'api/screens/confirm', asked);
      }}
      done={({ name }) => text.paired({ name: name.trim() })}
      instead={{ text: text.deny, isDangerous: true, atOnce: deny }}
    >
      {({ field }) => (
        <>
          <p>{text.asks}</p>
          <p class="screen-device">
            <strong>
              <bdi>{deviceName(agent ?? '')}</bdi>
            </strong>{' '}
            <bdi>{words.tokens.from({ address })}</bdi>, {text.since({ time: formatShortMoment(time) })}
          </p>
          <p>
            {text.compare}{' '}
            <strong class="short" translate={false}>
              {letters.replace(/^.{4}/, '$&-')}
            </strong>
          </p>
          <p class="notice notice-warn">{text.warning}</p>
          <ScreenFields field={field as FormState<ScreenValues>['field']} />
          <LifetimeField {...field('lifetime')} />
        </>
      )}
    </FormDialog>
  );
}

function ChangeScreen({ screen }: { screen: ScreenRecord }) {
  const first: ScreenValues = { name: screen.name, cameras: screen.cameras ?? undefined };
  const isSame = (entries: readonly string[] | undefined): boolean =>
    JSON.stringify(entries ?? null) === JSON.stringify(screen.cameras);
  return (
    <FormDialog
      title={screen.name}
      first={first}
      onSubmit={({ name, cameras }) => {
        const body = { name: name.trim(), ...(!isSame(cameras) && { cameras: cameras ?? null }) };
        return sendToApi('PATCH', pathTo('api/screens', screen.id), body);
      }}
      done={({ name }) => words.screens.changed({ name: name.trim() })}
    >
      {ScreenFields}
    </FormDialog>
  );
}
