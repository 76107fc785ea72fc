/** Notices in the place of a page, or of a list: what happened, and what to do. */
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { baseUrl } from './base-url.ts';
import { words } from './words.ts';

interface BlankProps {
  readonly title: string;
  readonly message: string;
  /** A page has a heading above it. */
  readonly isPart?: boolean;
  /** Something went wrong: a screen reader says it at once. */
  readonly isAlert?: boolean;
  readonly children?: ComponentChildren;
}

export const Blank = ({ title, message, isPart = false, isAlert = false, children }: BlankProps) => (
  <section class="blank" role={isAlert ? 'alert' : undefined}>
    {isPart ? <h2>{title}</h2> : <h1>{title}</h1>}
    <p>{message}</p>
    {children}
  </section>
);

export const Trouble = ({ onRetry, ...blank }: { title: string; message: string; onRetry: () => void }) => (
  <Blank {...blank} isAlert>
    <button class="button" type="button" onClick={onRetry}>
      {words.ui.common.tryAgain}
    </button>
  </Blank>
);

/** The page when the profile could not be read. An authentication proxy in front has no login page to open. */
export function NotTold({ reason = '', onRetry }: { reason: string | undefined; onRetry: () => void }) {
  const known: Readonly<Record<string, string>> = words.ui.frame.proxyFaults;
  return (
    <Trouble title={words.ui.frame.notToldTitle} message={known[reason] ?? words.ui.frame.notTold} onRetry={onRetry} />
  );
}

export const LoginLoop = () => (
  <Blank title={words.ui.frame.loopTitle} message={words.ui.frame.loop} isAlert>
    <a class="button" href={new URL('login', baseUrl).href}>
      {words.ui.frame.toLogin}
    </a>
  </Blank>
);

export const NoSuchPage = () => (
  <Blank title={words.ui.frame.noSuchPage} message={words.ui.frame.noSuchPageWhy}>
    <Link class="button" href="/">
      {words.ui.frame.toExplore}
    </Link>
  </Blank>
);

export const NotForYou = () => <Blank title={words.settings.notForYou} message={words.settings.notForYouWhy} />;
