/** Light, dark, or as the system says: kept in this browser. */
import { storeChoice, storedChoice } from './stored-choice.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'postern-theme';

export const chosenTheme = (): Theme => storedChoice(KEY, THEMES, 'system');

/** The colour of `--surface`, where the browser's own bar continues ours. */
const BAR = { light: '#ffffff', dark: '#161b22' } as const;

export function applyTheme(theme: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    meta.content = BAR[theme === 'system' ? (meta.media.includes('dark') ? 'dark' : 'light') : theme];
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  storeChoice(KEY, theme);
}
