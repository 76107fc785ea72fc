/** Settings: its pages, and the roles that see each (SPEC 8; interface 5.6). */
import type { ComponentType } from 'preact';
import { Link, Redirect, useLocation } from 'wouter-preact';
import { isAdmin, isAnonymous, type Profile, useProfile } from '../shared/account.ts';
import { facts } from '../shared/page-facts.ts';
import { NavLink, NotForYou, usePageTitle } from '../shared/parts.tsx';
import { words } from '../shared/words.ts';
import { Access } from './access.tsx';
import { Links } from './links.tsx';
import { Password } from './password.tsx';
import { Roles } from './roles.tsx';
import { Screens } from './screens.tsx';
import { Security } from './security.tsx';
import { SecurityEvents } from '../../../features/ledger/page/security-events.tsx';
import { Sessions } from './sessions.tsx';
import { SignIns } from './sign-ins.tsx';
import { Tokens } from './tokens.tsx';
import { TwoStep } from './two-step.tsx';
import { Users } from './users.tsx';
import { ViewAs } from './view-as.tsx';

/** What the console shows by itself: what must be done before anything else, and the view of another person. */
export { Password, TwoStep, ViewAs };

interface Section {
  readonly path: string;
  readonly title: () => string;
  readonly isFor: (profile: Profile) => boolean;
  readonly Page: ComponentType;
}

const always = (): boolean => true;
const hasLogin = (): boolean => facts.hasOwnLogin;
const isPerson = (who: Profile): boolean => !isAnonymous(who);
const isPersonWithLogin = (who: Profile): boolean => isPerson(who) && hasLogin();
const isAdminWithLogin = (who: Profile): boolean => isAdmin(who) && hasLogin();
const hasProviders = (who: Profile): boolean => isPerson(who) && facts.providers.length > 0;

/** The API keeps these rules; the page only does not offer what it would refuse. What a guest needs first comes first. */
// biome-ignore format: a table
const SECTIONS: readonly Section[] = [
  { path: 'users',    title: () => words.users.title,            isFor: isAdminWithLogin,  Page: Users },
  { path: 'roles',    title: () => words.roles.title,            isFor: isAdmin,           Page: Roles },
  { path: 'access',   title: () => words.access.title,           isFor: isAdmin,           Page: Access },
  { path: 'security', title: () => words.security.title,         isFor: isAdminWithLogin,  Page: Security },
  { path: 'password', title: () => words.passwords.change.title, isFor: isPersonWithLogin, Page: Password },
  { path: 'two-step', title: () => words.secondFactor.title,     isFor: isPersonWithLogin, Page: TwoStep },
  { path: 'sign-ins', title: () => words.oidc.signIns.title,     isFor: hasProviders,      Page: SignIns },
  { path: 'sessions', title: () => words.sessions.title,         isFor: hasLogin,          Page: Sessions },
  { path: 'events',   title: () => words.ledger.notices.title,   isFor: isPersonWithLogin, Page: SecurityEvents },
  { path: 'links',    title: () => words.links.title,            isFor: isPerson,          Page: Links },
  { path: 'screens',  title: () => words.screens.title,          isFor: isPersonWithLogin, Page: Screens },
  { path: 'tokens',   title: () => words.tokens.title,           isFor: always,            Page: Tokens },
];

/** There is room for the list beside a section: the first one is shown. As in `settings.css`. */
const isWide = (): boolean => matchMedia('(width >= 56rem)').matches;

export function Settings() {
  const profile = useProfile();
  const [path] = useLocation();
  const open = SECTIONS.filter(({ isFor }) => isFor(profile));
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
      {section ? <section.Page /> : name !== '' && <NotForYou />}
    </div>
  );
}
