/** The account menu: user and role, theme, change password, logout (SPEC 8, interface 5.6). */
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { LANGUAGES } from '../../../locales/languages.ts';
import { type Profile, useSites } from '../shared/account.ts';
import { baseUrl, chooseLanguage, chooseTheme, chosenLanguage, chosenTheme, THEMES } from '../shared/browser.ts';
import { Choice, SelectField } from '../shared/fields.tsx';
import { Menu } from '../shared/menu.tsx';
import type { PageFacts } from '../shared/page-facts.ts';
import { words } from '../shared/words.ts';

export function AccountMenu({ profile, facts }: { profile: Profile; facts: PageFacts }) {
  return (
    <Menu
      class="account"
      align="end"
      label={
        <>
          <span class="account-initial" aria-hidden="true">
            {firstLetter(profile.name)}
          </span>
          <span class="account-name">
            <span class="out-of-sight">{words.ui.menu.account}: </span>
            <bdi>{profile.name}</bdi>
          </span>
        </>
      }
    >
      <p class="menu-who">
        <bdi class="menu-name">{profile.name}</bdi>
        <bdi class="menu-role">{profile.role}</bdi>
      </p>
      {profile.isAnonymous && <p class="menu-note">{words.ui.menu.internal}</p>}
      <ThemeChoice />
      <LanguageField />
      <OtherSites />
      {!profile.isAnonymous && facts.hasOwnLogin && (
        <Link class="button button-wide" href="/settings/password">
          {words.ui.menu.changePassword}
        </Link>
      )}
      {!profile.isAnonymous && (
        <a class="button button-wide" href={new URL('logout', baseUrl).href}>
          {words.ui.menu.logOut}
        </a>
      )}
    </Menu>
  );
}

/** Where a login counts for all, it leads straight in. */
function OtherSites() {
  const others = (useSites()?.others ?? []).flatMap(({ name, url }) => (url === undefined ? [] : [{ name, url }]));
  if (others.length === 0) return null;
  return (
    <nav aria-label={words.ui.menu.sites}>
      <p class="menu-note">{words.ui.menu.sites}</p>
      {others.map(({ name, url }) => (
        <a class="button button-wide" key={name} href={url}>
          <bdi>{name}</bdi>
        </a>
      ))}
    </nav>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <Choice
      name="theme"
      legend={words.ui.menu.theme}
      isLegendShown
      options={THEMES.map((one) => [one, words.ui.menu[one]] as const)}
      chosen={theme}
      onChoose={(wanted) => {
        chooseTheme(wanted);
        setTheme(wanted);
      }}
    />
  );
}

const LanguageField = () => (
  <SelectField
    name="language"
    label={words.ui.menu.language}
    options={[['browser', words.ui.menu.system], ...LANGUAGES]}
    value={chosenLanguage()}
    onChange={(choice) => {
      chooseLanguage(choice);
      location.reload();
    }}
  />
);

const firstLetter = (name: string): string => ([...name][0] ?? '?').toLocaleUpperCase();
