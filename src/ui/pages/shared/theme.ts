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

/** Calls back whenever colours may have changed, by choice or by the system. Gives the way to stop. */
export function onThemeChange(react: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const choice = new MutationObserver(react);
  choice.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  system.addEventListener('change', react);
  return () => {
    choice.disconnect();
    system.removeEventListener('change', react);
  };
}
