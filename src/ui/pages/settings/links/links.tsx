/** Settings > Links: what was shared without an account, who opened it, and how to end it (SPEC 13). */
import type { Profile } from '../../console/profile.ts';
import { sendToApi } from '../../shared/api.ts';
import { FormDialog } from '../../shared/form-dialog.tsx';
import { formatShortMoment } from '../../shared/times.ts';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import { Badge, RecordItem, Records, RecordsPage } from '../records.tsx';
import { useForm } from '../use-form.ts';
import { settled } from '../user-forms.tsx';
import { type LinkRecord, readLinks } from './link-records.ts';

export function Links({ profile }: { profile: Profile }) {
  const [links, again] = useFetched('api/links', readLinks);
  const { form, open, done, ...shared } = useForm<LinkRecord>(again);
  return (
    <RecordsPage
      title={words.sharedLinks.title}
      lead={words.sharedLinks.lead}
      done={done}
      fetched={links}
      onRetry={again}
    >
      {(known) => (
        <>
          {known.length === 0 && <p class="blank">{words.sharedLinks.none}</p>}
          <Records>
            {known.map((link) => (
              <LinkItem key={link.id} {...{ link, profile }} onRevoke={() => open(link)} />
            ))}
          </Records>
          {form && <RevokeLink {...shared} link={form} />}
        </>
      )}
    </RecordsPage>
  );
}

const nameOf = ({ name, kind, camera }: LinkRecord): string => name ?? `${kindOf(kind)}, ${camera}`;

const kindOf = (kind: string): string => {
  const titles: Readonly<Record<string, string>> = words.linkPage.titles;
  return titles[kind] ?? kind;
};

const stateText = (state: string): string => {
  const { active, spent, revoked, expired } = words.sharedLinks.states;
  const states: Readonly<Record<string, string>> = { active, spent, revoked, expired };
  return states[state] ?? state;
};

function LinkItem({ link, profile, onRevoke }: { link: LinkRecord; profile: Profile; onRevoke: () => void }) {
  const { state, user, hasPin, camera, uses, opened, expiresAt, openings } = link;
  return (
    <RecordItem
      name={nameOf(link)}
      badges={
        <>
          {user !== profile.name && <Badge text={user} />}
          {hasPin && <Badge text={words.linkPage.pin} />}
          {state !== 'active' && <Badge text={stateText(state)} />}
        </>
      }
      facts={[
        [words.details.camera, camera],
        [words.sharedLinks.ends, expiresAt === undefined ? '' : formatShortMoment(expiresAt)],
        [words.sharedLinks.opened, uses === undefined ? String(opened) : words.sharedLinks.openedOf(opened, uses)],
        [words.sharedLinks.openings, <Openings key="openings" openings={openings} />],
      ]}
      actions={
        state === 'active' || state === 'spent' ? (
          <button
            class="button button-small"
            type="button"
            aria-label={`${words.tokens.revoke}: ${nameOf(link)}`}
            onClick={onRevoke}
          >
            {words.tokens.revoke}
          </button>
        ) : undefined
      }
    />
  );
}

const SHOWN_OPENINGS = 3;

function Openings({ openings }: Pick<LinkRecord, 'openings'>) {
  if (openings.length === 0) return <>{words.tokens.notYet}</>;
  return (
    <>
      {openings.slice(0, SHOWN_OPENINGS).map(({ at, address }) => (
        <bdi key={`${at} ${address}`} class="fact-more">
          {at === undefined ? address : `${formatShortMoment(at)} ${words.tokens.from(address)}`}
        </bdi>
      ))}
    </>
  );
}

interface RevokeLinkProps {
  readonly link: LinkRecord;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function RevokeLink({ link, onClose, onDone }: RevokeLinkProps) {
  const revoke = async () =>
    settled(await sendToApi('DELETE', `api/links/${encodeURIComponent(link.id)}`), () =>
      onDone(words.sharedLinks.revoked(nameOf(link))),
    );
  return (
    <FormDialog
      title={words.sharedLinks.revokeTitle(nameOf(link))}
      submit={words.tokens.revoke}
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>{words.sharedLinks.revokeWhat}</p>
    </FormDialog>
  );
}
