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
      <h2 id="invitations-title">{words.invitations.open}</h2>
      <p>{words.invitations.openWhat}</p>
      <RecordTable
        caption={words.invitations.open}
        rows={invitations}
        keyOf={({ user }) => user}
        columns={columns()}
        searchText={({ user, made_by }) => `${user} ${made_by}`}
        actions={(invitation) => (
          <Act text={words.invitations.revoke} name={invitation.user} isDangerous onAct={() => onRevoke(invitation)} />
        )}
      />
    </section>
  );
}

const columns = (): readonly Column<InvitationRecord>[] => [
  { key: 'user', title: words.ui.common.user, sortBy: ({ user }) => user, cell: ({ user }) => <bdi>{user}</bdi> },
  {
    key: 'by',
    title: words.invitations.madeBy,
    sortBy: ({ made_by }) => made_by,
    cell: ({ made_by }) => <bdi>{made_by}</bdi>,
  },
  {
    key: 'made',
    title: words.invitations.made,
    isShort: true,
    sortBy: ({ created_at }) => created_at,
    isDescendingFirst: true,
    cell: ({ created_at }) => formatShortMoment(created_at),
  },
  {
    key: 'ends',
    title: words.invitations.ends,
    isShort: true,
    sortBy: ({ expires_at }) => expires_at,
    cell: ({ expires_at }) => formatShortMoment(expires_at),
  },
];

interface RevokeProps {
  readonly invitation: InvitationRecord;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

export function RevokeInvitation({ invitation: { user }, onClose, onDone }: RevokeProps) {
  const revoke = async () =>
    settled(await sendToApi('DELETE', `api/users/${encodeURIComponent(user)}/invitation`), () =>
      onDone(words.invitations.revoked({ name: user })),
    );
  return (
    <FormDialog
      title={words.invitations.revokeOne({ name: user })}
      submit={words.invitations.revoke}
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>{words.invitations.revokeWhat}</p>
    </FormDialog>
  );
}
