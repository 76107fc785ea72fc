/** Entry of the console: fetches the profile, then shows the pages. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Route, Router, Switch } from 'wouter-preact';
import { Explore } from '../explore/explore.tsx';
import { isAdmin, learnSites, type Profile, type ProfileOutcome, readProfile } from '../shared/account.ts';
import { endViewAs, VIEW_AS_PATH } from '../shared/api.ts';
import { applyTheme, basePath, chosenTheme } from '../shared/browser.ts';
import { type PageFacts, readPageFacts } from '../shared/page-facts.ts';
import { LoginLoop, NoSuchPage, NotForYou, NotTold, Trouble } from '../shared/parts.tsx';
import { learnShortestPassword } from '../shared/password-strength.ts';
import { goToLogin } from '../shared/problems.ts';
import { learnCameraNames, learnWords, words } from '../shared/words.ts';
import { Frame } from './frame.tsx';
import { loadOtherPagesSoon, OtherPage } from './other-page.tsx';

type ConsoleState =
  | Exclude<ProfileOutcome, { kind: 'login-needed' }>
  | { readonly kind: 'asking' | 'leaving' | 'login-loop' }
  | { readonly kind: 'not-told'; readonly reason: string | undefined };

/** `/postern`, below the base path. */
const CONSOLE_PATH = `${basePath}postern`;

function Console({ facts }: { facts: PageFacts }) {
  const [state, setState] = useState<ConsoleState>({ kind: 'asking' });
  const ask = async (): Promise<void> => {
    // A page that the browser kept may come back in the middle of another person's view.
    endViewAs();
    setState({ kind: 'asking' });
    const outcome = await readProfile();
    if (outcome.kind === 'known') learnCameraNames(outcome.profile.cameraNames);
    setState(outcome.kind === 'login-needed' ? afterRefusal(outcome, facts) : outcome);
  };
  useEffect(() => {
    void ask();
    return onReturn(() => void ask());
  }, []);

  switch (state.kind) {
    case 'known':
      return <Pages profile={state.profile} facts={facts} />;
    case 'failed':
      return <Trouble title={words.ui.frame.cannotStart} message={state.message} onRetry={ask} />;
    case 'login-loop':
      return facts.hasOwnLogin ? <LoginLoop /> : <NotTold reason={undefined} onRetry={ask} />;
    case 'not-told':
      return <NotTold reason={state.reason} onRetry={ask} />;
    default:
      return <p class="starting">{words.ui.frame.moment}</p>;
  }
}

/**
 * Calls back when `Back` restores the page from the browser's cache after a logout: the profile is fetched again, and nothing
 * is shown until then.
 */
function onReturn(react: () => void): () => void {
  const look = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) react();
  };
  addEventListener('pageshow', look);
  return () => removeEventListener('pageshow', look);
}

function afterRefusal(
  { location, reason }: Extract<ProfileOutcome, { kind: 'login-needed' }>,
  { hasOwnLogin }: PageFacts,
): ConsoleState {
  if (!hasOwnLogin && location === null) return { kind: 'not-told', reason };
  return { kind: goToLogin(location) === 'loop' ? 'login-loop' : 'leaving' };
}

function Pages({ profile, facts }: { profile: Profile; facts: PageFacts }) {
  const first = firstTask(profile);
  useEffect(() => void loadOtherPagesSoon(), []);
  return (
    <Router base={CONSOLE_PATH}>
      <Frame {...{ profile, facts }} isBare={first !== undefined}>
        {first ? <OtherPage name={first} {...{ profile, facts }} /> : <AllPages {...{ profile, facts }} />}
      </Frame>
    </Router>
  );
}

/** What must be done before anything else. */
function firstTask({ mustEnrol, mustChangePassword }: Profile): 'enrol' | 'password' | undefined {
  if (mustEnrol) return 'enrol';
  return mustChangePassword ? 'password' : undefined;
}

function AllPages({ profile, facts }: { profile: Profile; facts: PageFacts }) {
  return (
    <Switch>
      <Route path="/">
        <Explore {...{ profile, facts }} />
      </Route>
      <Route path="/activity">
        <OtherPage name="activity" {...{ profile, facts }} />
      </Route>
      <Route path="/settings/:section?">
        <OtherPage name="settings" {...{ profile, facts }} />
      </Route>
      <Route path="/status">
        {isAdmin(profile) ? <OtherPage name="status" {...{ profile, facts }} /> : <NotForYou />}
      </Route>
      <Route path={VIEW_AS_PATH} nest>
        {isAdmin(profile) ? <OtherPage name="view-as" {...{ profile, facts }} /> : <NotForYou />}
      </Route>
      <Route>
        <NoSuchPage />
      </Route>
    </Switch>
  );
}

async function start(place: HTMLElement): Promise<void> {
  await learnWords(document.documentElement.lang);
  const facts = readPageFacts(place);
  learnSites(facts.hasSites);
  learnShortestPassword(facts.shortestPassword);
  render(<Console facts={facts} />, place);
}

applyTheme(chosenTheme());
const place = document.getElementById('console');
if (place) void start(place);
