/** Settings > API tokens: for programs, so that none needs a password or the open port (SPEC 4.4). */
import type { Profile } from '../shared/account/profile.ts';
import { sendToApi } from '../shared/api.ts';
import { FormDialog } from '../shared/forms/form-dialog.tsx';
import { entryName } from '../shared/names.ts';
import { FewNames } from '../shared/table/few-names.tsx';
import { type Column, RecordTable } from '../shared/table/record-table.tsx';
import { Act } from '../shared/table/row-menu.tsx';
import { formatDate, formatShortMoment } from '../shared/times.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { recordsIn, type TokenRecord } from './account-records.ts';
import { Badge, RecordsPage } from './records.tsx';
import { type MadeSecret, MadeToken, MakeToken } from './token-forms.tsx';
import { useForm } from './use-form.ts';
import { settled } from './users/user-forms.tsx';

type OpenTokenForm =
  | { readonly kind: 'make' }
  | { readonly kind: 'made'; readonly made: MadeSecret }
  | { readonly kind: 'revoke'; readonly token: TokenRecord };

export function Tokens({ profile }: { profile: Profile }) {
  const [tokens, again] = useFetched('api/tokens', recordsIn<TokenRecord>);
  const { form, open, done, ...shared } = useForm<OpenTokenForm>(again);
  /** Closes the dialog, unless the token was created: the dialog with the token has replaced it then. */
  const closeMaking = (): void => open((was) => (was?.kind === 'make' ? undefined : was));
  const onMade = (made: MadeSecret): void => {
    open({ kind: 'made', made });
    again();
  };
  return (
    <RecordsPage
      title={words.tokens.title}
      lead={words.tokens.lead}
      done={done}
      fetched={tokens}
      onRetry={again}
      actions={
        <button class="button button-strong" type="button" onClick={() => open({ kind: 'make' })}>
          {words.tokens.add}
        </button>
      }
    >
      {(known) => (
        <>
          <RecordTable
            caption={words.tokens.title}
            rows={known}
            keyOf={({ id }) => id}
            columns={columnsOf(profile)}
            searchText={({ name, user, role, cameras }) => [name, user, role, ...(cameras ?? [])].join(' ')}
            none={words.tokens.none}
            actions={(token) => (
              <Act
                text={words.tokens.revoke}
                name={token.name}
                isDangerous
                onAct={() => open({ kind: 'revoke', token })}
              />
            )}
          />
          {form?.kind === 'make' && <MakeToken profile={profile} onMade={onMade} onClose={closeMaking} />}
          {form?.kind === 'made' && <MadeToken made={form.made} onClose={shared.onClose} />}
          {form?.kind === 'revoke' && <RevokeToken {...shared} token={form.token} />}
        </>
      )}
    </RecordsPage>
  );
}

const columnsOf = (profile: Profile): readonly Column<TokenRecord>[] => [
  {
    key: 'name',
    title: words.tokens.name,
    sortBy: ({ name }) => name,
    cell: ({ name, manage_accounts, login }) => (
      <>
        <bdi>{name}</bdi> {login && <Badge text={words.tokens.logsIn} />}{' '}
        {manage_accounts && <Badge text={words.tokens.managesAccounts} kind="strong" />}
      </>
    ),
  },
  ...(profile.role === 'admin' ? [OWNER()] : []),
  {
    key: 'role',
    title: words.ui.common.role,
    sortBy: ({ role }) => role,
    cell: ({ role, rights }) =>
      rights ? (
        <Badge text={words.curtain.title} />
      ) : (
        <Badge text={role} kind={role === 'admin' ? 'strong' : 'plain'} />
      ),
  },
  { key: 'cameras', title: words.ui.common.cameras, cell: (token) => !token.rights && <CamerasOf token={token} /> },
  {
    key: 'expires',
    title: words.tokens.expires,
    isShort: true,
    sortBy: ({ expires_at }) => expires_at ?? undefined,
    cell: ({ expires_at }) => <Expiry at={expires_at} />,
  },
  {
    key: 'used',
    title: words.tokens.lastUsed,
    isShort: true,
    sortBy: ({ last_used_at }) => last_used_at ?? undefined,
    isDescendingFirst: true,
    cell: (token) => <LastUse token={token} />,
  },
];

const OWNER = (): Column<TokenRecord> => ({
  key: 'user',
  title: words.ui.common.user,
  sortBy: ({ user }) => user,
  cell: ({ user }) => <bdi>{user}</bdi>,
});

function Expiry({ at }: { readonly at: number | null }) {
  if (at === null) return <>{words.tokens.never}</>;
  const isExpired = at <= Date.now() / 1000;
  return (
    <>
      {formatDate(at)} {isExpired && <Badge text={words.tokens.expired} />}
    </>
  );
}

const CamerasOf = ({ token: { cameras } }: { token: TokenRecord }) =>
  cameras === null ? (
    words.tokens.likeRole
  ) : (
    <FewNames names={cameras.map(entryName)} none={words.ui.common.noCameras} />
  );

const LastUse = ({ token: { last_used_at: at, last_used_from: from } }: { token: TokenRecord }) => (
  <>
    {at === null ? words.tokens.notYet : formatShortMoment(at)}
    {from !== null && <bdi class="fact-more">{words.tokens.from({ address: from })}</bdi>}
  </>
);

interface RevokeTokenProps {
  readonly token: TokenRecord;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function RevokeToken({ token, onClose, onDone }: RevokeTokenProps) {
  const revoke = async () =>
    settled(await sendToApi('DELETE', `api/tokens/${encodeURIComponent(token.id)}`), () =>
      onDone(words.tokens.revoked({ name: token.name })),
    );
  return (
    <FormDialog
      title={words.tokens.revokeTitle({ name: token.name })}
      submit={words.tokens.revoke}
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>{words.tokens.revokeWhat}</p>
    </FormDialog>
  );
}
