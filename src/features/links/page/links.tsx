/** Settings > Links: what was shared without an account, who opened it, and how to end it (SPEC 13). */
import { Link } from 'wouter-preact';
import { isAdmin, useProfile } from '../../../ui/pages/shared/account.ts';
import { useList } from '../../../ui/pages/shared/api.ts';
import { removal } from '../../../ui/pages/shared/forms.tsx';
import { Badge, pathTo, ResourcePage, userColumn } from '../../../ui/pages/shared/records-page.tsx';
import { cameraName, formatShortMoment, formatSpan, words } from '../../../ui/pages/shared/words.ts';
import { isOpen, type LinkRecord } from './index.ts';

const SHOWN_OPENINGS = 3;

export function Links() {
  const profile = useProfile();
  const text = words.links;
  return (
    <ResourcePage
      {...{ title: text.title, lead: text.lead }}
      none={
        <>
          {text.none}
          {/* An event has Share. */}
          <Link class="button" href="/explore">
            {words.ui.frame.toExplore}
          </Link>
        </>
      }
      fetched={useList<LinkRecord>('api/links')}
      columns={[
        {
          title: text.name,
          text: nameOf,
          more: (link) => (
            <>
              {link.state !== 'active' && <Badge text={text.states[link.state]} />}{' '}
              {link.has_pin && <Badge text={text.pin} />}
            </>
          ),
        },
        isAdmin(profile) && userColumn(words.invitations.madeBy),
        {
          title: text.shows,
          text: ({ camera }) => cameraName(camera),
          note: sharedText,
        },
        { title: words.invitations.ends, at: ({ expires_at }) => expires_at },
        {
          title: text.opened,
          sortBy: ({ opened }) => opened,
          cell: ({ uses, opened, openings }) => [
            uses === null ? String(opened) : text.openedOf({ opened, uses }),
            ...openings.slice(0, SHOWN_OPENINGS).map(({ at, address }) => (
              <bdi key={`${at} ${address}`} class="fact-more">
                {`${formatShortMoment(at)} ${words.tokens.from({ address })}`}
              </bdi>
            )),
          ],
        },
      ]}
      searchText={(link) => [nameOf(link), link.user, link.camera, sharedText(link), text.states[link.state]].join(' ')}
      acts={(link) =>
        isOpen(link) ? [removal(text.revoke, { name: nameOf(link) }, pathTo('api/links', link.id))] : []
      }
    />
  );
}

const nameOf = ({ name, what, camera }: LinkRecord): string => name ?? `${kindOf(what)}, ${cameraName(camera)}`;

const kindOf = (what: LinkRecord['what'], titles: Readonly<Record<string, string>> = words.links.titles): string =>
  Object.keys(what).map((kind) => titles[kind] ?? kind)[0] ?? '';

/** Ids of events and reviews begin with their time. */
const STAMP = /^(?<at>\d{10})(?:\.\d+)?-/;

/** `Recording, 4 Aug, 14:05 – 15:05` */
function sharedText({ what }: Pick<LinkRecord, 'what'>): string {
  const id = 'event' in what ? what.event : 'review' in what ? what.review : '';
  const at = STAMP.exec(id)?.groups?.['at'];
  const stamped = at === undefined ? undefined : formatShortMoment(Number(at));
  const time = 'recording' in what ? formatSpan(what.recording.from, what.recording.to) : stamped;
  return [kindOf(what, words.links.things), time].filter((part) => part !== undefined).join(', ');
}
