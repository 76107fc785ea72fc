/** What stands around every page: the name, the ways to go, the account. */
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import iconUrl from '../icon.svg';
import { AccountMenu } from './account-menu.tsx';
import type { Profile } from './profile.ts';

/** A row per page of the console. */
const PAGES: readonly { readonly path: string; readonly title: string }[] = [{ path: '/', title: 'Explore' }];

export function Frame({ profile, children }: { profile: Profile; children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="bar">
        <Link class="brand" href="/">
          <img src={iconUrl} alt="" width="28" height="28" />
          <span class="brand-name">Postern</span>
        </Link>
        <nav class="bar-nav" aria-label="Pages">
          {PAGES.map(({ path, title }) => (
            <Link key={path} href={path} className={(isActive) => (isActive ? 'bar-link is-here' : 'bar-link')}>
              {title}
            </Link>
          ))}
        </nav>
        <AccountMenu profile={profile} />
      </header>
      <main id="content" class="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}
