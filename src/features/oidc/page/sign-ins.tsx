/** Settings > Sign-ins: the providers that one's own account is connected with (SPEC 16). */
import { goToProvider } from '../../../ui/pages/shared/account.ts';
import type { AnswerOf } from '../../../ui/pages/shared/answers.ts';
import { useFetched } from '../../../ui/pages/shared/api.ts';
import { asking, removal } from '../../../ui/pages/shared/forms.tsx';
import { pathTo, ResourcePage } from '../../../ui/pages/shared/records-page.tsx';
import { recordsIn } from '../../../ui/pages/shared/untrusted.ts';
import { facts, words } from '../../../ui/pages/shared/words.ts';

const PATH = 'api/account/sign-ins';

export function SignIns() {
  const text = words.oidc.signIns;
  return (
    <ResourcePage
      title={text.title}
      lead={text.lead}
      fetched={useFetched(PATH, (body) => providerRows(recordsIn(body)))}
      keyOf={({ name }) => name}
      columns={[
        { title: words.users.guests.provider, text: ({ label }) => label },
        {
          title: text.connectedAt,
          at: ({ signIn }) => signIn?.connected_at,
          none: text.notConnected,
        },
        { title: text.lastUsed, at: ({ signIn }) => signIn?.last_used_at },
      ]}
      acts={({ name, label, signIn }) => {
        const path = pathTo(PATH, name);
        return [
          signIn
            ? removal(text.removing, { label }, path)
            : asking(text.connecting, { label }, () => goToProvider(path)),
        ];
      }}
    />
  );
}

/** The providers, and since when the account is connected with each. Connected ones stay when the configuration names their provider no more. */
function providerRows(known: readonly AnswerOf<'SIGN_IN'>[]) {
  const { providers } = facts;
  const gone = known.filter(({ provider }) => !providers.some(({ name }) => name === provider));
  return [...providers, ...gone.map(({ provider: name }) => ({ name, label: name }))].map((provider) => ({
    ...provider,
    signIn: known.find((signIn) => signIn.provider === provider.name),
  }));
}
