/** Every page but Explore: in a file of its own, which is loaded while Explore is looked at. */
import { Activity } from '../activity/activity.tsx';
import { ShortestPassword } from '../settings/new-password.tsx';
import { Password } from '../settings/password.tsx';
import { Settings } from '../settings/settings.tsx';
import { TwoStep } from '../settings/two-step/two-step.tsx';
import type { Profile } from '../shared/account/profile.ts';
import type { PageFacts } from '../shared/page-facts.ts';
import { Status } from '../status/status.tsx';
import { ViewAs } from './view-as.tsx';

export interface OtherPageProps {
  readonly profile: Profile;
  readonly facts: PageFacts;
}

export const OTHER_PAGES = {
  activity: ({ profile }: OtherPageProps) => <Activity profile={profile} />,
  settings: ({ profile, facts }: OtherPageProps) => <Settings {...{ profile, facts }} />,
  status: ({ profile }: OtherPageProps) => <Status profile={profile} />,
  'view-as': ({ facts }: OtherPageProps) => <ViewAs facts={facts} />,
  /** What must be done before anything else. */
  enrol: ({ profile, facts: { passkeyOrigin } }: OtherPageProps) => <TwoStep {...{ profile, passkeyOrigin }} />,
  password: ({ profile, facts }: OtherPageProps) => (
    <ShortestPassword.Provider value={facts.shortestPassword}>
      <Password profile={profile} />
    </ShortestPassword.Provider>
  ),
};
