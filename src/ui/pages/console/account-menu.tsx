/** Who is logged in, the theme, and the way out (SPEC 8, interface 5.6). */
import { useState } from 'preact/hooks';
import { baseUrl } from '../shared/base-url.ts';
import { Choice } from '../shared/choice.tsx';
import { Menu } from '../shared/menu.tsx';
import { chooseTheme, chosenTheme, type Theme } from '../shared/theme.ts';
import type { Profile } from './profile.ts';

export function AccountMenu({ profile }: { profile: Profile }) {
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
            <span class="out-of-sight">Account: </span>
            <bdi>{profile.name}</bdi>
          </span>
        </>
      }
    >
      <p class="menu-who">
        <bdi class="menu-name">{profile.name}</bdi>
        <bdi class="menu-role">{profile.role}</bdi>
      </p>
      {profile.isAnonymous && <p class="menu-note">This is the internal port: nobody logs in here.</p>}
      <ThemeChoice />
      {!profile.isAnonymous && (
        <a class="button button-wide" href={new URL('logout', baseUrl).href}>
          Log out
        </a>
      )}
    </Menu>
  );
}

const THEME_OPTIONS: readonly (readonly [Theme, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (wanted: Theme): void => {
    chooseTheme(wanted);
    setTheme(wanted);
  };
  return <Choice name="theme" legend="Theme" isLegendShown options={THEME_OPTIONS} chosen={theme} onChoose={choose} />;
}

const firstLetter = (name: string): string => ([...name][0] ?? '?').toLocaleUpperCase();
