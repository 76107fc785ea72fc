/** Settings, and what is made of its parts: in a file of its own, which is loaded while Explore is looked at. */
import { Password } from '../settings/password.tsx';
import { Settings } from '../settings/settings.tsx';
import { TwoStep } from '../settings/two-step.tsx';
import { ViewAs } from '../settings/view-as.tsx';
import type { OtherPageProps } from './other-page.tsx';

export const SETTINGS_PAGES = {
  settings: ({ profile, facts }: OtherPageProps) => <Settings {...{ profile, facts }} />,
  'view-as': ({ facts }: OtherPageProps) => <ViewAs facts={facts} />,
  /** What must be done before anything else. */
  enrol: ({ profile, facts: { passkeyOrigin } }: OtherPageProps) => <TwoStep {...{ profile, passkeyOrigin }} />,
  password: ({ profile }: OtherPageProps) => <Password profile={profile} />,
};
