/** The account menu: user and role, theme, change password, logout (SPEC 8, interface 5.6). */
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { LANGUAGES } from '../../../locales/languages.ts';
import { isAnonymous, useProfile, useSites } from '../shared/account.ts';
import { baseUrl, chooseLanguage, chooseTheme, chosenLanguage, chosenTheme, THEMES } from '../shared/browser.ts';
import { Choice, SelectField } from '../shared/fields.tsx';
import { Menu } from '../shared/menu.tsx';
import { facts } from '../shared/page-facts.ts';
import { words } from '../shared/words.ts';

export function AccountMenu() {
  const profile = useProfile();
  const { username: name } = profile;
  const text = words.ui.menu;
  const label = (
    <>
      <span class="account-initial" aria-hidden="true">
        {([...name][0] ?? '?').toLocaleUpperCase()}
      </span>
      <span class="account-name">
        <span class="out-of-sight">{text.account}: </span>
        <bdi>{name}</bdi>
      </span>
    </>
  );
  return (
    <Menu class="account" align="end" label={label}>
      <p class="menu-who">
        <bdi class="menu-name">{name}</bdi>
        <bdi class="menu-role">{profile.role}</bdi>
      </p>
      {isAnonymous(profile) && <p class="menu-note">{text.internal}</p>}
      <ThemeChoice />
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
      <OtherSites />
      {!isAnonymous(profile) && facts.hasOwnLogin && (
        <Link class="button button-wide" href="/settings/password">
          {text.changePassword}
        </Link>
      )}
      {!isAnonymous(profile) && (
        <a class="button button-wide" href={new URL('logout', baseUrl).href}>
          {text.logOut}
        </a>
      )}
    </Menu>
  );
}

/** Where a login counts for all, it leads straight in. */
function OtherSites() {
  const others = (useSites()?.others ?? []).flatMap(({ name, url }) => (url === null ? [] : [{ name, url }]));
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
