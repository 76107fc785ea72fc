/** Links for new passwords that were not used yet, in Settings > Users: listed and revoked (SPEC 12). */
import { sendToApi } from '../shared/api.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { formatShortMoment } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import type { InvitationRecord } from './account-records.ts';
import { RecordItem, Records } from './records.tsx';
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
      <Records>
        {invitations.map((invitation) => (
          <RecordItem
            key={invitation.user}
            name={invitation.user}
            facts={[
              [words.links.madeBy, <bdi key="by">{invitation.madeBy}</bdi>],
              [words.links.made, momentOf(invitation.createdAt)],
              [words.links.ends, momentOf(invitation.expiresAt)],
            ]}
            actions={
              <button
                class="button button-small"
                type="button"
                aria-label={words.links.revokeOne(invitation.user)}
                onClick={() => onRevoke(invitation)}
              >
                {words.links.revoke}
              </button>
            }
          />
        ))}
      </Records>
    </section>
  );
}

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
