/** Settings > Security events: what happened to one's own account lately (SPEC 12). */

import type { z } from 'zod';
import { useList } from '../../../ui/pages/shared/api.ts';
import { ResourcePage } from '../../../ui/pages/shared/records-page.tsx';
import { deviceName, words } from '../../../ui/pages/shared/words.ts';
import type { ACCOUNT_EVENT } from '../notices.ts';

type SecurityEvent = z.output<typeof ACCOUNT_EVENT>;

/** An event of a newer service has its own name. */
const nameOf = ({ event }: SecurityEvent): string =>
  (words.ledger.notices.kinds as Readonly<Record<string, string>>)[event] ?? event;

export function SecurityEvents() {
  const { title, lead, none, what, by } = words.ledger.notices;
  return (
    <ResourcePage
      {...{ title, lead, none }}
      fetched={useList<SecurityEvent>('api/account/events')}
      keyOf={({ id }) => id}
      columns={[
        { title: what, text: nameOf, cell: nameOf },
        { title: words.ledger.when, at: (event) => event.at, isDescendingFirst: true },
        { title: by, text: (event) => event.by },
        { title: words.sessions.address, text: ({ address }) => address },
        {
          title: words.sessions.device,
          text: (event) => event.device ?? (event.agent === null ? '' : deviceName(event.agent)),
        },
      ]}
    />
  );
}
