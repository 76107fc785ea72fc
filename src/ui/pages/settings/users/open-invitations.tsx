/** Links for new passwords that were not used yet, in Settings > Users: listed and revoked (SPEC 12). */
import { sendToApi } from '../../shared/api.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { type Column, RecordTable } from '../../shared/table/record-table.tsx';
import { Act } from '../../shared/table/row-menu.tsx';
import { formatShortMoment } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { InvitationRecord } from '../account-records.ts';
import { settled } from './user-forms.tsx';

interface OpenInvitationsProps {
  readonly invitations: readonly InvitationRecord[];
  readonly onRevoke: (invitation: InvitationRecord) => void;
}

/** Nothing while there are none. */
export function OpenInvitations({ invitations, onRevoke }: OpenInvitationsProps) {
  if (invitations.length === 0) return null;
  return (
    <section class="more-records" aria-labelledby="invitations-title">
      <h2 id="invitations-title">{words.links.open}</h2>
      <p>{words.links.openWhat}</p>
      <RecordTable
        caption={words.links.open}
        rows={invitations}
        keyOf={({ user }) => user}
        columns={columns()}
        searchText={({ user, madeBy }) => `${user} ${madeBy}`}
        actions={(invitation) => (
          <Act text={words.links.revoke} name={invitation.user} isDangerous onAct={() => onRevoke(invitation)} />
        )}
      />
    </section>
  );
}

const columns = (): readonly Column<InvitationRecord>[] => [
  { key: 'user', title: words.common.user, sortBy: ({ user }) => user, cell: ({ user }) => <bdi>{user}</bdi> },
  {
    key: 'by',
    title: words.links.madeBy,
    sortBy: ({ madeBy }) => madeBy,
    cell: ({ madeBy }) => <bdi>{madeBy}</bdi>,
  },
  {
    key: 'made',
    title: words.links.made,
    isShort: true,
    sortBy: ({ createdAt }) => createdAt,
    isDescendingFirst: true,
    cell: ({ createdAt }) => momentOf(createdAt),
  },
  {
    key: 'ends',
    title: words.links.ends,
    isShort: true,
    sortBy: ({ expiresAt }) => expiresAt,
    cell: ({ expiresAt }) => momentOf(expiresAt),
  },
];

const momentOf = (time: number | undefined): string => (time === undefined ? '–' : formatShortMoment(time));

interface RevokeProps {
  readonly invitation: InvitationRecord;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

export function RevokeInvitation({ invitation: { user }, onClose, onDone }: RevokeProps) {
  const revoke = async () =>
    settled(await sendToApi('DELETE', `api/users/${encodeURIComponent(user)}/invitation`), () =>
      onDone(words.links.revoked(user)),
    );
  return (
    <FormDialog
      title={words.links.revokeOne(user)}
      submit={words.links.revoke}
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>{words.links.revokeWhat}</p>
    </FormDialog>
  );
}
