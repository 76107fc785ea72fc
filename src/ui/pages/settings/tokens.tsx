/** Settings > API tokens: for programs, so that none needs a password or the open port; each secret is shown once (SPEC 4.4). */
import { isAdmin, useNameableCameras, useProfile } from '../shared/account.ts';
import type { AnswerOf, RoleRecord } from '../shared/answers.ts';
import { sendToApi, useList, valueOr } from '../shared/api.ts';
import { baseUrl } from '../shared/browser.ts';
import { NarrowedCameras } from '../shared/cameras/camera-choice.tsx';
import { endAfter, LifetimeField, SelectField, Switch, TitleField } from '../shared/fields.tsx';
import { FormDialog, removal } from '../shared/forms.tsx';
import { Copyable, NewSecret } from '../shared/new-secret.tsx';
import { tokenRights } from '../shared/pieces.tsx';
import { Badge, lastUseColumn, pathTo, ResourcePage, userColumn } from '../shared/records-page.tsx';
import { words } from '../shared/words.ts';

export function Tokens() {
  const profile = useProfile();
  const text = words.tokens;
  return (
    <ResourcePage
      {...{ title: text.title, lead: text.lead, none: text.none }}
      fetched={useList<AnswerOf<'TOKEN'>>('api/tokens')}
      pageActs={[{ text: text.add, kind: 'strong', dialog: () => <MakeToken /> }]}
      columns={[
        {
          title: text.name,
          text: ({ name }) => name,
          more: ({ manage_accounts, login }) => (
            <>
              {login && <Badge text={text.logsIn} />}{' '}
              {manage_accounts && <Badge text={text.managesAccounts} kind="strong" />}
            </>
          ),
        },
        isAdmin(profile) && userColumn(),
        {
          title: words.ui.common.role,
          text: ({ role }) => role,
          cell: ({ role, rights }) => {
            const only = tokenRights().find(({ name }) => rights?.includes(name));
            return <Badge text={only?.title() ?? role} kind={!rights && role === 'admin' ? 'strong' : 'plain'} />;
          },
        },
        {
          title: words.ui.common.cameras,
          cameras: ({ cameras, rights }) => (rights ? undefined : cameras),
          none: ({ rights }) => (rights ? '' : text.likeRole),
        },
        {
          title: text.expires,
          at: ({ expires_at }) => expires_at,
          none: text.never,
          more: ({ expires_at: at }) => at !== null && at <= Date.now() / 1000 && <Badge text={text.expired} />,
        },
        lastUseColumn<AnswerOf<'TOKEN'>>(({ last_used_at: at, last_used_from: from }) => ({ at, from })),
      ]}
      acts={(token) => [removal(text.revoke, token, pathTo('api/tokens', token.id))]}
    />
  );
}

const NEW_TOKEN = {
  name: '',
  role: 'viewer',
  /** Undefined: all cameras of the role. */
  cameras: undefined as readonly string[] | undefined,
  managesAccounts: false,
  /** Programs send the secret as a password. */
  login: false,
  /** The only right; '' for those of the role. */
  right: '',
  lifetime: 'year',
};
type NewToken = typeof NEW_TOKEN;

const mayManage = ({ role, cameras }: NewToken): boolean => role === 'admin' && cameras === undefined;

function MakeToken() {
  const profile = useProfile();
  const text = words.tokens;
  const [roles] = useList<RoleRecord>(isAdmin(profile) && 'api/roles');
  const known = useNameableCameras();
  const make = (token: NewToken) => {
    const { name, role, cameras, login, right, lifetime } = token;
    const manage_accounts = mayManage(token) && token.managesAccounts;
    const given = right ? { rights: [right] } : { role, ...(cameras && { cameras }), manage_accounts, login };
    return sendToApi('POST', 'api/tokens', { name: name.trim(), ...given, expires_at: endAfter(lifetime) });
  };
  return (
    <FormDialog
      title={text.add}
      submit={text.create}
      first={isAdmin(profile) ? NEW_TOKEN : { ...NEW_TOKEN, role: profile.role }}
      onSubmit={make}
      next={(body, { login, right }) => (
        <ShownToken
          secret={(body as AnswerOf<'MADE_TOKEN'>).token}
          logsInAs={login && !right ? profile.username : undefined}
        />
      )}
    >
      {({ values, put, field }) => (
        <>
          <TitleField label={text.name} help={text.nameHelp} {...field('name')} />
          {isAdmin(profile) &&
            tokenRights().map(({ name, only }) => (
              <Switch
                key={name}
                label={only()}
                value={values.right === name}
                onChange={(isOn) => put({ right: isOn ? name : '' })}
              />
            ))}
          {!values.right && (
            <>
              <Switch
                label={text.login}
                {...field('login')}
                onChange={(login) =>
                  put({ login, ...(login && values.name.trim() === '' && { name: 'Home Assistant' }) })
                }
              />
              <p class="field-help">{text.loginHelp}</p>
              <SelectField
                label={words.ui.common.role}
                {...field('role')}
                options={valueOr<readonly { role: string }[]>(roles, [values]).map(({ role }) => role)}
              />
              <NarrowedCameras known={known} {...field('cameras')}>
                {mayManage(values) && <Switch label={text.manageAccounts} {...field('managesAccounts')} />}
              </NarrowedCameras>
            </>
          )}
          <LifetimeField {...field('lifetime')} />
        </>
      )}
    </FormDialog>
  );
}

/** `logsInAs`: the user name that goes with it where a program logs in; undefined: it is sent in a header. */
const ShownToken = ({ secret, logsInAs }: { secret: string; logsInAs: string | undefined }) => (
  <NewSecret title={words.tokens.createdTitle} warning={words.tokens.createdWhat} text={secret}>
    {logsInAs !== undefined && (
      <div>
        {words.tokens.useAtLogin({ user: logsInAs })} <Copyable text={baseUrl.href} />
      </div>
    )}
    <details class="more-fields" open={logsInAs === undefined}>
      <summary>{logsInAs === undefined ? words.tokens.use : words.tokens.useToo}</summary>
      <pre class="code-block" dir="ltr">{`Authorization: Bearer ${secret.slice(0, 8)}…`}</pre>
      <p class="field-help">{words.tokens.basic}</p>
    </details>
  </NewSecret>
);
