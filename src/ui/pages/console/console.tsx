/** The console: fetches the profile, then shows the pages. */
import { type ComponentChild, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Route, Router, Switch } from 'wouter-preact';
import { isAdmin, type Profile, ProfileContext, toProfile } from '../shared/account.ts';
import { type ApiResponse, getFromApi, goToLogin, problemOf, VIEW_AS_PATH, viewAs } from '../shared/api.ts';
import { applyTheme, basePath, baseUrl, chosenTheme } from '../shared/browser.ts';
import { Blank, NoSuchPage, NotForYou, Trouble } from '../shared/parts.tsx';
import { learnPieces, loadPage, type PagePieces, PageShown, pagesOf } from '../shared/pieces.tsx';
import { facts, learnCameraNames, learnFacts, learnWords, words } from '../shared/words.ts';
import { CORE_PAGES, loadPassword, loadTwoStep } from './core-pages.ts';
import { Frame } from './frame.tsx';

function Console() {
  /** Undefined: the profile is asked for, or the page is left. */
  const [shown, setShown] = useState<ComponentChild>();
  const ask = async (): Promise<void> => {
    // A page that the browser kept may come back in the middle of another person's view.
    viewAs.person = undefined;
    setShown(undefined);
    setShown(pageFor(await getFromApi('api/profile'), ask));
  };
  useEffect(() => {
    void ask();
    // `Back` restores the page from the browser's cache after a logout: nothing of it is shown before the profile is known again.
    const onShow = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) void ask();
    };
    addEventListener('pageshow', onShow);
    return () => removeEventListener('pageshow', onShow);
  }, []);
  return shown ?? <p class="starting">{words.ui.frame.moment}</p>;
}

function pageFor(response: ApiResponse, onRetry: () => Promise<void>): ComponentChild {
  const text = words.ui.frame;
  const failed = (message: string, title = text.cannotStart) => <Trouble {...{ title, message, onRetry }} />;
  if (response.kind === 'ok') {
    const profile = toProfile(response.body);
    learnCameraNames(profile.camera_names);
    return profile.username ? <Pages profile={profile} /> : failed(text.noName);
  }
  if (response.kind !== 'login-needed') return failed(problemOf(response));
  const { location, reason = '' } = response;
  const faults: Readonly<Record<string, string>> = text.proxyFaults;
  // An authentication proxy in front has no login page to open.
  if (!facts.hasOwnLogin && location === null) return failed(faults[reason] ?? text.notTold, text.notToldTitle);
  if (goToLogin(location) !== 'loop') return undefined;
  if (!facts.hasOwnLogin) return failed(text.notTold, text.notToldTitle);
  return (
    <Blank title={text.loopTitle} message={text.loop} isAlert>
      <a class="button" href={new URL('login', baseUrl).href}>
        {text.toLogin}
      </a>
    </Blank>
  );
}

/** `/postern`, below the base path. */
const CONSOLE_PATH = `${basePath}postern`;

function Pages({ profile }: { profile: Profile }) {
  /** What must be done before anything else. */
  const first = profile.second_factor_required ? loadTwoStep : profile.password_is_generated && loadPassword;
  return (
    <ProfileContext.Provider value={profile}>
      <Router base={CONSOLE_PATH}>
        <Frame isBare={Boolean(first)}>{first ? <PageShown load={first} /> : <AllPages profile={profile} />}</Frame>
      </Router>
    </ProfileContext.Provider>
  );
}

const loadViewAs = async () => (await import('../settings/view-as.tsx')).ViewAs;

function AllPages({ profile }: { profile: Profile }) {
  return (
    <Switch>
      {pagesOf('menu').map(({ path, hasParts = false, isFor, ...page }) => (
        <Route key={path} path={hasParts ? `/${path}/:part?` : `/${path}`}>
          {isFor(profile) ? <PageShown {...page} /> : <NotForYou />}
        </Route>
      ))}
      <Route path={VIEW_AS_PATH} nest>
        {isAdmin(profile) ? <PageShown load={loadViewAs} /> : <NotForYou />}
      </Route>
      <Route component={NoSuchPage} />
    </Switch>
  );
}

export async function startConsole(features: readonly PagePieces[]): Promise<void> {
  learnPieces([CORE_PAGES, ...features]);
  applyTheme(chosenTheme());
  const place = document.getElementById('console');
  if (!place) return;
  // The files of the page come beside its texts and the profile.
  const [first = '', second] = location.pathname.slice(CONSOLE_PATH.length + 1).split('/');
  const page = pagesOf('menu').find(({ path }) => path === first);
  const part = page?.hasParts && pagesOf('settings').find(({ path }) => path === second);
  for (const one of [page, part]) if (one) void loadPage(one);
  await learnWords(document.documentElement.lang);
  learnFacts(place);
  render(<Console />, place);
}
