/** The console's entry: finds out who is looking, then shows the pages. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Route, Router, Switch } from 'wouter-preact';
import { Explore } from '../explore/explore.tsx';
import { basePath } from '../shared/base-url.ts';
import { goToLogin } from '../shared/go-to-login.ts';
import { applyTheme, chosenTheme } from '../shared/theme.ts';
import { Frame } from './frame.tsx';
import { LoginLoop, NoSuchPage, Trouble } from './notices.tsx';
import { type ProfileOutcome, readProfile } from './profile.ts';

type ConsoleState = ProfileOutcome | { readonly kind: 'asking' | 'leaving' | 'login-loop' };

/** `/postern`, below the base path. */
const CONSOLE_PATH = `${basePath}postern`;

function Console() {
  const [state, setState] = useState<ConsoleState>({ kind: 'asking' });
  const ask = async (): Promise<void> => {
    setState({ kind: 'asking' });
    const outcome = await readProfile();
    if (outcome.kind !== 'login-needed') setState(outcome);
    else setState({ kind: goToLogin(outcome.location) === 'loop' ? 'login-loop' : 'leaving' });
  };
  useEffect(() => void ask(), []);

  switch (state.kind) {
    case 'known':
      return <Pages profile={state.profile} />;
    case 'failed':
      return <Trouble title="The console cannot start" message={state.message} onRetry={ask} />;
    case 'login-loop':
      return <LoginLoop />;
    default:
      return <p class="starting">Just a moment…</p>;
  }
}

function Pages({ profile }: { profile: Extract<ProfileOutcome, { kind: 'known' }>['profile'] }) {
  return (
    <Router base={CONSOLE_PATH}>
      <Frame profile={profile}>
        <Switch>
          <Route path="/">
            <Explore profile={profile} />
          </Route>
          <Route>
            <NoSuchPage />
          </Route>
        </Switch>
      </Frame>
    </Router>
  );
}

applyTheme(chosenTheme());
const place = document.getElementById('console');
if (place) render(<Console />, place);
