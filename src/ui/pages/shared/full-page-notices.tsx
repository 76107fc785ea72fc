/** Full-page notices: what happened, and what to do. */
import { Link } from 'wouter-preact';
import { baseUrl } from './base-url.ts';
import { words } from './words.ts';

interface TroubleProps {
  readonly title: string;
  readonly message: string;
  readonly onRetry: () => void;
}

export function Trouble({ title, message, onRetry }: TroubleProps) {
  return (
    <section class="blank" role="alert">
      <h1>{title}</h1>
      <p>{message}</p>
      <button class="button" type="button" onClick={onRetry}>
        {words.ui.common.tryAgain}
      </button>
    </section>
  );
}

/** The page when the profile could not be read. An authentication proxy in front has no login page to open. */
export function NotTold({ reason = '', onRetry }: { reason: string | undefined; onRetry: () => void }) {
  const known: Readonly<Record<string, string>> = words.ui.frame.proxyFaults;
  return (
    <Trouble title={words.ui.frame.notToldTitle} message={known[reason] ?? words.ui.frame.notTold} onRetry={onRetry} />
  );
}

export function LoginLoop() {
  return (
    <section class="blank" role="alert">
      <h1>{words.ui.frame.loopTitle}</h1>
      <p>{words.ui.frame.loop}</p>
      <a class="button" href={new URL('login', baseUrl).href}>
        {words.ui.frame.toLogin}
      </a>
    </section>
  );
}

export function NoSuchPage() {
  return (
    <section class="blank">
      <h1>{words.ui.frame.noSuchPage}</h1>
      <p>{words.ui.frame.noSuchPageWhy}</p>
      <Link class="button" href="/">
        {words.ui.frame.toExplore}
      </Link>
    </section>
  );
}

export const NotForYou = () => (
  <section class="blank">
    <h1>{words.settings.notForYou}</h1>
    <p>{words.settings.notForYouWhy}</p>
  </section>
);
