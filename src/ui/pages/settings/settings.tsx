/** Settings: its pages, and the roles that see each (SPEC 8; interface 5.6). */
import type { ComponentChild } from 'preact';
import { Link, Redirect, useLocation } from 'wouter-preact';
import { isAdmin, type Profile } from '../shared/account.ts';
import type { PageFacts } from '../shared/page-facts.ts';
import { NavLink, NotForYou, usePageTitle } from '../shared/parts.tsx';
import { words } from '../shared/words.ts';
import { Access } from './access.tsx';
import { Links } from './links.tsx';
import { Password } from './password.tsx';
import { Roles } from './roles.tsx';
import { Screens } from './screens.tsx';
import { Security } from './security.tsx';
import { SecurityEvents } from './security-events.tsx';
import { Sessions } from './sessions.tsx';
import { SignIns } from './sign-ins.tsx';
import { Tokens } from './tokens.tsx';
import { TwoStep } from './two-step.tsx';
import { Users } from './users.tsx';

interface SettingsSection {
  readonly path: string;
  readonly title: () => string;
  readonly isFor: (profile: Profile, facts: PageFacts) => boolean;
  readonly show: (profile: Profile, facts: PageFacts) => ComponentChild;
}

/** The API keeps these rules; the page only does not offer what it would refuse. What a guest needs first comes first. */
// biome-ignore format: a table
const SECTIONS: readonly SettingsSection[] = [
  { path: 'users',    title: () => words.users.title,    isFor: (who, { hasOwnLogin }) => isAdmin(who) && hasOwnLogin,      show: (profile) => <Users profile={profile} /> },
  { path: 'roles',    title: () => words.roles.title,    isFor: isAdmin,                                                    show: (profile, { hasOwnLogin }) => <Roles {...{ profile, hasOwnLogin }} /> },
  { path: 'access',   title: () => words.access.title,   isFor: isAdmin,                                                    show: (_, { hasOwnLogin }) => <Access hasOwnLogin={hasOwnLogin} /> },
  { path: 'security', title: () => words.security.title, isFor: (who, { hasOwnLogin }) => isAdmin(who) && hasOwnLogin,      show: () => <Security /> },
  { path: 'password', title: () => words.passwords.change.title, isFor: (who, { hasOwnLogin }) => hasOwnLogin && !who.isAnonymous,  show: (profile) => <Password profile={profile} /> },
  { path: 'two-step', title: () => words.secondFactor.title,  isFor: (who, { hasOwnLogin }) => hasOwnLogin && !who.isAnonymous,  show: (profile, { passkeyOrigin }) => <TwoStep {...{ profile, passkeyOrigin }} /> },
  { path: 'sign-ins', title: () => words.oidc.signIns.title,  isFor: (who, { providers }) => providers.length > 0 && !who.isAnonymous, show: (_, { providers }) => <SignIns providers={providers} /> },
  { path: 'sessions', title: () => words.sessions.title, isFor: (_, { hasOwnLogin }) => hasOwnLogin,                        show: (profile) => <Sessions profile={profile} /> },
  { path: 'events',   title: () => words.ledger.notices.title, isFor: (who, { hasOwnLogin }) => hasOwnLogin && !who.isAnonymous, show: () => <SecurityEvents /> },
  { path: 'links',    title: () => words.links.title,    isFor: (who) => !who.isAnonymous,                                  show: (profile) => <Links profile={profile} /> },
  { path: 'screens',  title: () => words.screens.title,  isFor: (who, { hasOwnLogin }) => hasOwnLogin && !who.isAnonymous,  show: (profile) => <Screens profile={profile} /> },
  { path: 'tokens',   title: () => words.tokens.title,   isFor: () => true,                                                 show: (profile) => <Tokens profile={profile} /> },
];

/** There is room for the list beside a section: the first one is shown. As in `settings.css`. */
const isWide = (): boolean => matchMedia('(width >= 56rem)').matches;

export function Settings({ profile, facts }: { profile: Profile; facts: PageFacts }) {
  const [path] = useLocation();
  const open = SECTIONS.filter(({ isFor }) => isFor(profile, facts));
  const name = path.split('/')[2] ?? '';
  const section = open.find((known) => known.path === name);
  usePageTitle(section?.title() ?? words.settings.title);
  if (name === '' && open[0] && isWide()) return <Redirect to={`/settings/${open[0].path}`} replace />;
  return (
    <div class={`settings ${name === '' ? 'settings-list' : 'settings-open'}`}>
      {name === '' ? (
        <h1>{words.settings.title}</h1>
      ) : (
        <Link class="settings-back" href="/settings">
          <span aria-hidden="true">←</span> {words.settings.all}
        </Link>
      )}
      <nav class="settings-nav" aria-label={words.settings.sections}>
        {open.map(({ path: at, title }) => (
          <NavLink key={at} class="side-link" href={`/settings/${at}`} isHere={at === name}>
            {title()}
          </NavLink>
        ))}
      </nav>
      {section?.show(profile, facts) ?? (name !== '' && <NotForYou />)}
    </div>
  );
}
