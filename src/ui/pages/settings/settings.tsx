/** Settings: its pages in two groups, and the roles that see each (SPEC 8; interface 5.6). */
import { Fragment } from 'preact';
import { Link, Redirect, useLocation } from 'wouter-preact';
import { isAdmin, useProfile } from '../shared/account.ts';
import { NavLink, NotForYou, usePageTitle } from '../shared/parts.tsx';
import { type Page, PageShown, pagesOf } from '../shared/pieces.tsx';
import { words } from '../shared/words.ts';

/** There is room for the list beside a section: the first one is shown. As in `settings.css`. */
const isWide = (): boolean => matchMedia('(width >= 56rem)').matches;

export function Settings() {
  const profile = useProfile();
  const [path] = useLocation();
  const open = pagesOf('settings').filter(({ isFor }) => isFor(profile));
  const name = path.split('/')[2] ?? '';
  const section = open.find((known) => known.path === name);
  const groupOf = ({ isOfHouse }: Page): string => words.settings[isOfHouse && isAdmin(profile) ? 'house' : 'own'];
  usePageTitle(section ? `${section.title()} · ${groupOf(section)}` : words.settings.title);
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
      <nav class="row settings-nav" aria-label={words.settings.title}>
        {[...Map.groupBy(open, groupOf)].map(([group, pages]) => (
          <Fragment key={group}>
            <h2 class="settings-group">{group}</h2>
            {pages.map(({ path: at, title }) => (
              <NavLink key={at} class="side-link" href={`/settings/${at}`} isHere={at === name}>
                {title()}
              </NavLink>
            ))}
          </Fragment>
        ))}
      </nav>
      {section ? <PageShown key={name} {...section} /> : name !== '' && <NotForYou />}
    </div>
  );
}
