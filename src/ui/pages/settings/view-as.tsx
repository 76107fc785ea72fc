/** View as: Explore and the profile as another person gets them, read-only and marked; it ends with the page. */
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Explore } from '../explore/explore.tsx';
import { type Profile, ProfileContext, toProfile } from '../shared/account.ts';
import { useFetched, valueOr, viewAs } from '../shared/api.ts';
import { basePath } from '../shared/browser.ts';
import { Blank, Button, Facts, usePageTitle } from '../shared/parts.tsx';
import { FewNames } from '../shared/record-table.tsx';
import { cameraName, words } from '../shared/words.ts';

/** Unix milliseconds: a page that was forgotten goes back to its own view. */
const LONGEST_MILLISECONDS = 15 * 60_000;

export function ViewAs() {
  // From here on every request says whose it is, until the page ends it.
  const [name] = useState(() => {
    [viewAs.person, viewAs.wanted] = [viewAs.wanted, undefined];
    return viewAs.person;
  });
  const [fetched] = useFetched(name !== undefined && 'api/profile', toProfile);
  const [, navigate] = useLocation();
  const end = (): void => {
    viewAs.person = undefined;
    navigate(`~${basePath}postern/settings/access`);
  };
  useEffect(() => {
    if (name === undefined) return undefined;
    const timer = setTimeout(end, LONGEST_MILLISECONDS);
    return () => {
      clearTimeout(timer);
      viewAs.person = undefined;
    };
  }, []);
  usePageTitle(words.viewAs.title({ name: name ?? '' }));
  if (name === undefined) return <Blank title={words.viewAs.overTitle} message={words.viewAs.over} />;
  const profile = valueOr<Profile | undefined>(fetched, undefined);
  const cameras = profile?.allowed_cameras.map(cameraName) ?? [];
  return (
    <>
      <section class="row view-as" aria-label={words.viewAs.title({ name })}>
        <p class="view-as-who">
          <strong>
            <bdi>{words.viewAs.title({ name })}</bdi>
          </strong>{' '}
          <span>{words.viewAs.lead}</span>
        </p>
        <Button onPress={end}>{words.viewAs.end}</Button>
      </section>
      {fetched.kind === 'loading' && <p class="blank">{words.ui.frame.moment}</p>}
      {fetched.kind === 'failed' && <Blank title={words.viewAs.nothing} message={fetched.problem} isAlert />}
      {profile && (
        <ProfileContext.Provider value={profile}>
          <Facts
            class="row view-as-profile"
            rows={[
              [words.ui.common.role, profile.role],
              [words.ui.common.cameras, <FewNames names={cameras} none={words.ui.common.noCameras} />],
            ]}
          />
          {/* The own pages of a person who must set up a second factor show nothing else. */}
          {profile.second_factor_required ? <p class="blank">{words.access.noFactor({ name })}</p> : <Explore />}
        </ProfileContext.Provider>
      )}
    </>
  );
}
