/** View as: Explore and the profile as another person gets them, read-only and marked; it ends with the page. */
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Explore } from '../explore/explore.tsx';
import { type Profile, type ProfileOutcome, readProfile } from '../shared/account.ts';
import { beginViewAs, endViewAs } from '../shared/api.ts';
import { basePath } from '../shared/browser.ts';
import type { PageFacts } from '../shared/page-facts.ts';
import { Blank, usePageTitle } from '../shared/parts.tsx';
import { problemOf } from '../shared/problems.ts';
import { FewNames } from '../shared/record-table.tsx';
import { cameraName, words } from '../shared/words.ts';

/** Unix milliseconds: a page that was forgotten goes back to its own view. */
const LONGEST_MILLISECONDS = 15 * 60_000;

type ViewState = ProfileOutcome | { readonly kind: 'loading' };

export function ViewAs({ facts }: { facts: PageFacts }) {
  const [name] = useState(beginViewAs);
  const [state, setState] = useState<ViewState>({ kind: 'loading' });
  const [, navigate] = useLocation();
  const end = (): void => {
    endViewAs();
    navigate(`~${basePath}postern/settings/access`);
  };
  useEffect(() => {
    if (name === undefined) return undefined;
    void readProfile().then(setState);
    const timer = setTimeout(end, LONGEST_MILLISECONDS);
    return () => {
      clearTimeout(timer);
      endViewAs();
    };
  }, []);
  usePageTitle(words.viewAs.title({ name: name ?? '' }));
  if (name === undefined) return <Blank title={words.viewAs.overTitle} message={words.viewAs.over} />;
  return (
    <>
      <section class="view-as" aria-label={words.viewAs.title({ name })}>
        <p class="view-as-who">
          <strong>
            <bdi>{words.viewAs.title({ name })}</bdi>
          </strong>{' '}
          <span>{words.viewAs.lead}</span>
        </p>
        <button class="button" type="button" onClick={end}>
          {words.viewAs.end}
        </button>
      </section>
      <Viewed state={state} facts={facts} />
    </>
  );
}

function Viewed({ state, facts }: { state: ViewState; facts: PageFacts }) {
  switch (state.kind) {
    case 'loading':
      return <p class="starting">{words.ui.frame.moment}</p>;
    case 'known':
      return <ViewedProfile profile={state.profile} facts={facts} />;
    case 'failed':
      return <Blank title={words.viewAs.nothing} message={state.message} isAlert />;
    case 'login-needed':
      return <p class="blank">{problemOf(state)}</p>;
  }
}

/** The own pages of a person who must set up a second factor show nothing else. */
function ViewedProfile({ profile, facts }: { profile: Profile; facts: PageFacts }) {
  return (
    <>
      <dl class="view-as-profile">
        <div>
          <dt>{words.ui.common.role}</dt>
          <dd>
            <bdi>{profile.role}</bdi>
          </dd>
        </div>
        <div>
          <dt>{words.ui.common.cameras}</dt>
          <dd>
            <FewNames names={profile.cameras.map(cameraName)} none={words.ui.common.noCameras} />
          </dd>
        </div>
      </dl>
      {profile.mustEnrol ? (
        <p class="blank">{words.access.noFactor({ name: profile.name })}</p>
      ) : (
        <Explore {...{ profile, facts }} />
      )}
    </>
  );
}
