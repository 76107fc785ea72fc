/** Settings > Sign-ins: the providers that one's own account is connected with (SPEC 16). */
import { goToProvider } from '../shared/account/at-provider.ts';
import { sendToApi } from '../shared/api.ts';
import { FormDialog } from '../shared/forms/form-dialog.tsx';
import type { FormProblem } from '../shared/forms/form-faults.ts';
import type { SignInProvider } from '../shared/page-facts.ts';
import { type Column, RecordTable } from '../shared/table/record-table.tsx';
import { Act } from '../shared/table/row-menu.tsx';
import { formatShortMoment } from '../shared/times.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { recordsIn, type SignInRecord } from './account-records.ts';
import { RecordsPage } from './records.tsx';
import { useForm } from './use-form.ts';
import { settled } from './users/user-forms.tsx';

const PATH = 'api/account/sign-ins';

/** A provider, and since when the account is connected with it. */
interface ProviderRow extends SignInProvider {
  readonly signIn: SignInRecord | undefined;
}

type OpenForm = { readonly kind: 'connect' | 'remove'; readonly row: ProviderRow };

export function SignIns({ providers }: { readonly providers: readonly SignInProvider[] }) {
  const [signIns, again] = useFetched(PATH, recordsIn<SignInRecord>);
  const { form, open, done, ...shared } = useForm<OpenForm>(again);
  return (
    <RecordsPage
      title={words.oidc.signIns.title}
      lead={words.oidc.signIns.lead}
      done={done}
      fetched={signIns}
      onRetry={again}
    >
      {(known) => (
        <>
          <RecordTable
            caption={words.oidc.signIns.title}
            rows={rowsOf(known, providers)}
            keyOf={({ name }) => name}
            columns={columns()}
            searchText={({ label }) => label}
            actions={(row) =>
              row.signIn ? (
                <Act
                  text={words.oidc.signIns.remove}
                  name={row.label}
                  isDangerous
                  onAct={() => open({ kind: 'remove', row })}
                />
              ) : (
                <Act text={words.oidc.signIns.connect} name={row.label} onAct={() => open({ kind: 'connect', row })} />
              )
            }
          />
          {form && <SignInForm {...shared} {...form} />}
        </>
      )}
    </RecordsPage>
  );
}

/** Connected ones stay in the list when the configuration names their provider no more. */
function rowsOf(known: readonly SignInRecord[], providers: readonly SignInProvider[]): readonly ProviderRow[] {
  const gone = known
    .map(({ provider }) => provider)
    .filter((provider) => !providers.some(({ name }) => name === provider));
  return [...providers, ...gone.map((name) => ({ name, label: name }))].map((provider) => ({
    ...provider,
    signIn: known.find((signIn) => signIn.provider === provider.name),
  }));
}

const columns = (): readonly Column<ProviderRow>[] => [
  {
    key: 'provider',
    title: words.oidc.signIns.provider,
    sortBy: ({ label }) => label,
    cell: ({ label }) => <bdi>{label}</bdi>,
  },
  {
    key: 'connected',
    title: words.oidc.signIns.connectedAt,
    isShort: true,
    sortBy: ({ signIn }) => signIn?.connected_at,
    cell: ({ signIn }) => (signIn ? formatShortMoment(signIn.connected_at) : words.oidc.signIns.notConnected),
  },
  {
    key: 'used',
    title: words.oidc.signIns.lastUsed,
    isShort: true,
    sortBy: ({ signIn }) => signIn?.last_used_at,
    cell: ({ signIn }) => (signIn ? formatShortMoment(signIn.last_used_at) : '–'),
  },
];

interface SignInFormProps extends OpenForm {
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function SignInForm({ kind, row: { name, label }, onClose, onDone }: SignInFormProps) {
  const text = words.oidc.signIns[kind === 'connect' ? 'connecting' : 'removing'];
  const path = `${PATH}/${encodeURIComponent(name)}`;
  const send = async (): Promise<FormProblem | undefined> => {
    if (kind === 'connect') return goToProvider(path);
    return settled(await sendToApi('DELETE', path), () => onDone(words.oidc.signIns.removed({ label })));
  };
  return (
    <FormDialog
      title={text.title({ label })}
      submit={text.submit}
      isDangerous={kind === 'remove'}
      onSubmit={send}
      onClose={onClose}
    >
      <p>{text.what({ label })}</p>
    </FormDialog>
  );
}
