/** Settings > API tokens: for programs, so that none needs a password or the open port (SPEC 4.4). */
import type { Profile } from '../console/profile.ts';
import { sendToApi } from '../shared/api.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { formatDate, formatShortMoment } from '../shared/times.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { readTokens, type TokenRecord } from './account-records.ts';
import { Badge, Names, RecordItem, Records, RecordsPage } from './records.tsx';
import { MadeToken, MakeToken } from './token-forms.tsx';
import { useForm } from './use-form.ts';
import { settled } from './user-forms.tsx';

type OpenForm =
  | { readonly kind: 'make' }
  | { readonly kind: 'made'; readonly secret: string }
  | { readonly kind: 'revoke'; readonly token: TokenRecord };

export function Tokens({ profile }: { profile: Profile }) {
  const [tokens, again] = useFetched('api/tokens', readTokens);
  const { form, open, done, ...shared } = useForm<OpenForm>(again);
  /** After the token is created, its dialog has replaced this one. */
  const closeMaking = (): void => open((was) => (was?.kind === 'make' ? undefined : was));
  const onMade = (secret: string): void => {
    open({ kind: 'made', secret });
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
          {known.length === 0 && <p class="blank">{words.tokens.none}</p>}
          <Records>
            {known.map((token) => (
              <TokenItem key={token.id} {...{ token, profile }} onRevoke={() => open({ kind: 'revoke', token })} />
            ))}
          </Records>
          {form?.kind === 'make' && <MakeToken profile={profile} onMade={onMade} onClose={closeMaking} />}
          {form?.kind === 'made' && <MadeToken secret={form.secret} onClose={shared.onClose} />}
          {form?.kind === 'revoke' && <RevokeToken {...shared} token={form.token} />}
        </>
      )}
    </RecordsPage>
  );
}

function TokenItem({ token, profile, onRevoke }: { token: TokenRecord; profile: Profile; onRevoke: () => void }) {
  const isExpired = token.expiresAt !== undefined && token.expiresAt <= Date.now() / 1000;
  return (
    <RecordItem
      name={token.name}
      badges={
        <>
          {token.user !== profile.name && <Badge text={token.user} />}
          {token.managesAccounts && <Badge text={words.tokens.managesAccounts} kind="strong" />}
          {isExpired && <Badge text={words.tokens.expired} />}
        </>
      }
      facts={[
        [words.common.role, <Badge key="role" text={token.role} kind={token.role === 'admin' ? 'strong' : 'plain'} />],
        [words.common.cameras, <CamerasOf key="cameras" token={token} />],
        [words.tokens.expires, token.expiresAt === undefined ? words.tokens.never : formatDate(token.expiresAt)],
        [words.tokens.lastUsed, <LastUse key="use" token={token} />],
      ]}
      actions={
        <button
          class="button button-small"
          type="button"
          aria-label={`${words.tokens.revoke}: ${token.name}`}
          onClick={onRevoke}
        >
          {words.tokens.revoke}
        </button>
      }
    />
  );
}

const CamerasOf = ({ token: { cameras } }: { token: TokenRecord }) =>
  cameras === undefined ? words.tokens.likeRole : <Names names={cameras} none={words.common.noCameras} />;

const LastUse = ({ token: { lastUsedAt, lastUsedFrom } }: { token: TokenRecord }) => (
  <>
    {lastUsedAt === undefined ? words.tokens.notYet : formatShortMoment(lastUsedAt)}
    {lastUsedFrom !== undefined && <bdi class="fact-more">{words.tokens.from(lastUsedFrom)}</bdi>}
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
      onDone(words.tokens.revoked(token.name)),
    );
  return (
    <FormDialog
      title={words.tokens.revokeTitle(token.name)}
      submit={words.tokens.revoke}
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>{words.tokens.revokeWhat}</p>
    </FormDialog>
  );
}
