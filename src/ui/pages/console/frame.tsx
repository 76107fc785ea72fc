/** The frame around every page: name, navigation, account menu. */
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import iconUrl from '../icon.svg';
import { isAdmin, type Profile } from '../shared/account.ts';
import { askForProofBy } from '../shared/api.ts';
import { basePath } from '../shared/browser.ts';
import type { PageFacts } from '../shared/page-facts.ts';
import { NavLink, Trouble } from '../shared/parts.tsx';
import { words } from '../shared/words.ts';
import { AccountMenu } from './account-menu.tsx';
import type { ProofDialog, ProofDialogProps } from './proof-dialog.tsx';

/** Shows the dialog for a proof when a request needs one. The dialog is loaded then: few visits come to it. */
interface Asked {
  readonly Dialog: typeof ProofDialog;
  readonly answer: (isProven: boolean) => void;
}

function ProofAsker(props: Omit<ProofDialogProps, 'onAnswer'>) {
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => {
    askForProofBy(async () => {
      const loaded = await import('./proof-dialog.tsx').catch(() => undefined);
      if (loaded === undefined) return false;
      return new Promise((answer) => setAsked({ Dialog: loaded.ProofDialog, answer }));
    });
  }, []);
  if (!asked) return null;
  const close = (isProven: boolean): void => {
    setAsked(undefined);
    asked.answer(isProven);
  };
  return <asked.Dialog {...props} onAnswer={close} />;
}

interface NavigationPage {
  readonly path: string;
  readonly title: () => string;
  readonly isFor: (profile: Profile) => boolean;
}

// biome-ignore format: a table
const PAGES: readonly NavigationPage[] = [
  { path: '/',         title: () => words.ui.frame.explore,  isFor: () => true },
  { path: '/activity', title: () => words.ui.frame.activity, isFor: () => true },
  { path: '/settings', title: () => words.ui.frame.settings, isFor: () => true },
  { path: '/status',   title: () => words.ui.frame.status,   isFor: isAdmin    },
];

interface FrameProps {
  readonly profile: Profile;
  readonly facts: PageFacts;
  /** Whether there is no navigation: something must be done first. */
  readonly isBare?: boolean;
  readonly children: ComponentChildren;
}

export function Frame({ profile, facts, isBare = false, children }: FrameProps) {
  const [path] = useLocation();
  const content = useRef<HTMLElement>(null);
  useFocusOnNewPage(path, content);
  const isHere = (page: NavigationPage): boolean => (page.path === '/' ? path === '/' : path.startsWith(page.path));
  return (
    <>
      <a class="skip" href="#content">
        {words.ui.frame.skip}
      </a>
      <header class="bar">
        <Link class="brand" href="/" aria-label="Postern">
          <img src={iconUrl} alt="" width="28" height="28" />
          <span class="brand-name">Postern</span>
        </Link>
        <nav class="bar-nav" aria-label={words.ui.frame.pages}>
          {PAGES.filter(({ isFor }) => !isBare && isFor(profile)).map((page) => (
            <NavLink key={page.path} class="bar-link" href={page.path} isHere={isHere(page)}>
              {page.title()}
            </NavLink>
          ))}
        </nav>
        {facts.hasNvr && !isBare && (
          <a class="nav-link bar-link bar-recorder" href={`${basePath}${facts.home}`}>
            {words.ui.frame.recorder}
          </a>
        )}
        <AccountMenu {...{ profile, facts }} />
      </header>
      <ProofAsker profile={profile} passkeyOrigin={facts.passkeyOrigin} providers={facts.providers} />
      <main id="content" class="content" tabIndex={-1} ref={content}>
        <Boundary>{children}</Boundary>
      </main>
    </>
  );
}

/**
 * Moves the focus after a navigation: open menus close and a screen reader starts with the new page; not when the console
 * opens.
 */
function useFocusOnNewPage(path: string, content: { readonly current: HTMLElement | null }): void {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    content.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path]);
}

/** An error boundary: when one page throws, the frame and the other pages stay usable. */
function Boundary({ children }: { children: ComponentChildren }) {
  // Reported in the browser's console like an uncaught error.
  const [fault, again] = useErrorBoundary((caught) => reportError(caught));
  const [path] = useLocation();
  useEffect(() => {
    if (fault) again();
  }, [path]);
  if (!fault) return <>{children}</>;
  return <Trouble title={words.ui.frame.broken} message={words.ui.frame.brokenWhy} onRetry={again} />;
}
