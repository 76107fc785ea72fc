/** The frame around every page: name, navigation, and the account menu with theme, language, other consoles, password and logout (SPEC 8, interface 5.6). */
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { START_PATH } from '../../../domain/page-paths.ts';
import { LANGUAGES } from '../../../locales/languages.ts';
import iconUrl from '../icon.svg?inline';
import { isAnonymous, useProfile, useSites } from '../shared/account.ts';
import { askForProofBy } from '../shared/api.ts';
import {
  basePath,
  baseUrl,
  chooseLanguage,
  chooseTheme,
  chosenLanguage,
  chosenTheme,
  THEMES,
} from '../shared/browser.ts';
import { Choice, SelectField } from '../shared/fields.tsx';
import { Menu } from '../shared/menu.tsx';
import { Icon, NavLink, Trouble } from '../shared/parts.tsx';
import { isPersonWithLogin, pagesOf } from '../shared/pieces.tsx';
import { facts, words } from '../shared/words.ts';
import type { ProofDialog } from './proof-dialog.tsx';

type AskedProof = { readonly Dialog: typeof ProofDialog; readonly answer: (isProven: boolean) => void };

/** Shows the dialog for a proof when a request needs one. The dialog is loaded then: few visits come to it. */
function ProofAsker() {
  const [asked, setAsked] = useState<AskedProof>();
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
  return <asked.Dialog onAnswer={close} />;
}

/** `isBare`: there is no navigation, because something must be done first. */
export function Frame({ isBare = false, children }: { isBare?: boolean; children: ComponentChildren }) {
  const [path] = useLocation();
  const content = useRef<HTMLElement>(null);
  const profile = useProfile();
  const pages = pagesOf('menu').filter(({ isFor }) => isFor(profile));
  useFocusOnNewPage(path, content);
  return (
    <>
      <a class="skip" href="#content">
        {words.ui.frame.skip}
      </a>
      <header class="bar">
        <Link class="brand" href="/" aria-label={facts.name}>
          <img src={iconUrl} alt="" width="28" height="28" />
          <bdi class="one-line brand-name">{facts.name}</bdi>
        </Link>
        <nav class="bar-nav" aria-label={words.ui.frame.pages}>
          {!isBare &&
            pages.map(({ path: at, title }) => (
              <NavLink key={at} class="bar-link" href={`/${at}`} isHere={path.split('/')[1] === at}>
                {title()}
              </NavLink>
            ))}
        </nav>
        {facts.hasNvr && !isBare && (
          <a
            class="nav-link bar-link bar-recorder"
            href={`${basePath.slice(0, -1)}${START_PATH}?cameras`}
            aria-label={words.ui.frame.recorderOpens}
          >
            {words.ui.frame.recorder} <Icon name="leave" />
          </a>
        )}
        <AccountMenu />
      </header>
      <ProofAsker />
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

function AccountMenu() {
  const profile = useProfile();
  const [theme, setTheme] = useState(chosenTheme);
  const others = (useSites()?.others ?? []).filter(({ url }) => url !== null);
  const text = words.ui.menu;
  const label = (
    <>
      <span class="account-initial" aria-hidden="true">
        {([...profile.username][0] ?? '?').toLocaleUpperCase()}
      </span>
      <span class="one-line account-name">
        <span class="out-of-sight">{text.account}: </span>
        <bdi>{profile.username}</bdi>
      </span>
    </>
  );
  return (
    <Menu class="account" align="end" label={label}>
      <p class="menu-who">
        <bdi class="menu-name">{profile.username}</bdi>
        <span class="menu-note">
          {words.ui.common.role}: <bdi class="menu-role">{profile.role}</bdi>
        </span>
      </p>
      {isAnonymous(profile) && <p class="menu-note">{text.internal}</p>}
      <Choice
        name="theme"
        legend={text.theme}
        isLegendShown
        options={THEMES.map((one) => [one, text[one]] as const)}
        chosen={theme}
        onChoose={(wanted) => {
          chooseTheme(wanted);
          setTheme(wanted);
        }}
      />
      <SelectField
        name="language"
        label={text.language}
        options={[['browser', text.system], ...LANGUAGES]}
        value={chosenLanguage()}
        onChange={(choice) => {
          chooseLanguage(choice);
          location.reload();
        }}
      />
      {/* Where a login counts for all, it leads straight in. */}
      {others.length > 0 && (
        <nav aria-label={text.others}>
          <p class="menu-note">{text.others}</p>
          {others.map(({ name, url }) => (
            <a class="button button-wide" key={name} href={url ?? ''}>
              <bdi>{name}</bdi>
            </a>
          ))}
        </nav>
      )}
      {isPersonWithLogin(profile) &&
        [
          ['account', words.account.title],
          ['sessions', words.sessions.title],
          ['password', text.changePassword],
        ].map(([path, title]) => (
          <Link key={path} class="button button-wide" href={`/settings/${path}`}>
            {title}
          </Link>
        ))}
      {!isAnonymous(profile) && (
        <a class="button button-wide" href={new URL('logout', baseUrl).href}>
          {text.logOut}
        </a>
      )}
    </Menu>
  );
}
