/** What happened to one's own account lately, below its overview in Settings (SPEC 12). */
import { Link } from 'wouter-preact';
import type { z } from 'zod';
import { useList, valueOr } from '../../../ui/pages/shared/api.ts';
import { MoreRecords } from '../../../ui/pages/shared/records-page.tsx';
import { own } from '../../../ui/pages/shared/untrusted.ts';
import { deviceName, words } from '../../../ui/pages/shared/words.ts';
import type { ACCOUNT_EVENT } from '../notices.ts';

type SecurityEvent = z.output<typeof ACCOUNT_EVENT>;

export function SecurityEvents() {
  const [events] = useList<SecurityEvent>('api/account/events');
  const tokens = valueOr(useList<{ readonly id: string; readonly name: string }>('api/tokens')[0], []);
  const { title, lead, change, what, kinds } = words.ledger.notices;
  return (
    <MoreRecords
      caption={title}
      lead={
        <>
          {lead} <Link href="/settings/password">{change}</Link>
        </>
      }
      rows={valueOr(events, [])}
      columns={[
        {
          title: what,
          // An event of a newer service has its own name.
          text: ({ event, detail }) =>
            [own(kinds, event) ?? event, tokens.find(({ id }) => id === detail)?.name ?? []].flat().join(' · '),
          note: ({ device, agent, address, by, user }) =>
            [device ?? deviceName(agent ?? ''), address, ...(by && by !== user ? [by] : [])].join(' · '),
        },
        { title: words.ledger.when, at: ({ at }) => at },
      ]}
      narrow="line"
    />
  );
}
