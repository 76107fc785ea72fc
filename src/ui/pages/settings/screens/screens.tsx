/** Settings > Screens: displays that show cameras without a password on them, and pairing a new one (SPEC 18). */
import type { Profile } from '../../shared/account/profile.ts';
import { sendToApi } from '../../shared/api.ts';
import { baseUrl } from '../../shared/base-url.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { cameraName } from '../../shared/names.ts';
import { FewNames } from '../../shared/table/few-names.tsx';
import { type Column, RecordTable } from '../../shared/table/record-table.tsx';
import { Act } from '../../shared/table/row-menu.tsx';
import { formatDate, formatShortMoment } from '../../shared/times.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import { recordsIn, type ScreenRecord } from '../account-records.ts';
import { deviceName } from '../device-name.ts';
import { RecordsPage } from '../records.tsx';
import { useForm } from '../use-form.ts';
import { settled } from '../users/user-forms.tsx';
import { ChangeScreen, codeInAddress, PairScreen } from './screen-forms.tsx';

type OpenScreenForm =
  | { readonly kind: 'pair'; readonly code: string }
  | { readonly kind: 'change' | 'revoke'; readonly screen: ScreenRecord };

export function Screens({ profile }: { profile: Profile }) {
  const [screens, again] = useFetched('api/screens', recordsIn<ScreenRecord>);
  const code = codeInAddress();
  const { form, open, done, ...shared } = useForm<OpenScreenForm>(
    again,
    code === '' ? undefined : { kind: 'pair', code },
  );
  const page = `${baseUrl.host}${baseUrl.pathname}postern/screen`;
  return (
    <RecordsPage
      title={words.screens.title}
      lead={words.screens.lead({ address: page })}
      done={done}
      fetched={screens}
      onRetry={again}
      actions={
        <button class="button button-strong" type="button" onClick={() => open({ kind: 'pair', code: '' })}>
          {words.screens.pair}
        </button>
      }
    >
      {(known) => (
        <>
          <RecordTable
            caption={words.screens.title}
            rows={known}
            keyOf={({ id }) => id}
            columns={columnsOf(profile)}
            searchText={({ name, user, cameras }) => [name, user, ...(cameras ?? [])].join(' ')}
            none={words.screens.none}
            actions={(screen) => (
              <>
                <Act text={words.screens.change} name={screen.name} onAct={() => open({ kind: 'change', screen })} />
                <Act
                  text={words.tokens.revoke}
                  name={screen.name}
                  isDangerous
                  onAct={() => open({ kind: 'revoke', screen })}
                />
              </>
            )}
          />
          {form?.kind === 'pair' && <PairScreen {...shared} profile={profile} code={form.code} />}
          {form?.kind === 'change' && <ChangeScreen {...shared} profile={profile} screen={form.screen} />}
          {form?.kind === 'revoke' && <RevokeScreen {...shared} screen={form.screen} />}
        </>
      )}
    </RecordsPage>
  );
}

const columnsOf = (profile: Profile): readonly Column<ScreenRecord>[] => [
  {
    key: 'name',
    title: words.tokens.name,
    sortBy: ({ name }) => name,
    cell: ({ name, agent }) => (
      <>
        <bdi>{name}</bdi>
        {agent !== null && <bdi class="fact-more">{deviceName(agent)}</bdi>}
      </>
    ),
  },
  ...(profile.role === 'admin' ? [MAKER()] : []),
  {
    key: 'cameras',
    title: words.ui.common.cameras,
    cell: ({ cameras }) =>
      cameras === null ? (
        words.screens.all
      ) : (
        <FewNames names={cameras.map(cameraName)} none={words.ui.common.noCameras} />
      ),
  },
  {
    key: 'ends',
    title: words.tokens.expires,
    isShort: true,
    sortBy: ({ ends_at }) => ends_at ?? undefined,
    cell: ({ ends_at }) => (ends_at === null ? words.tokens.never : formatDate(ends_at)),
  },
  {
    key: 'seen',
    title: words.tokens.lastUsed,
    isShort: true,
    sortBy: ({ last_seen_at }) => last_seen_at ?? undefined,
    isDescendingFirst: true,
    cell: ({ last_seen_at: at, last_seen_from: from }) => (
      <>
        {at === null ? words.tokens.notYet : formatShortMoment(at)}
        {from !== null && <bdi class="fact-more">{words.tokens.from({ address: from })}</bdi>}
      </>
    ),
  },
];

const MAKER = (): Column<ScreenRecord> => ({
  key: 'user',
  title: words.ui.common.user,
  sortBy: ({ user }) => user,
  cell: ({ user }) => <bdi>{user}</bdi>,
});

interface RevokeScreenProps {
  readonly screen: ScreenRecord;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function RevokeScreen({ screen, onClose, onDone }: RevokeScreenProps) {
  const revoke = async () =>
    settled(await sendToApi('DELETE', `api/screens/${encodeURIComponent(screen.id)}`), () =>
      onDone(words.screens.revoked({ name: screen.name })),
    );
  return (
    <FormDialog
      title={words.screens.revokeTitle({ name: screen.name })}
      submit={words.tokens.revoke}
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>{words.screens.revokeWhat}</p>
    </FormDialog>
  );
}
