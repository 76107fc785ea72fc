/** What this browser remembers of a person's choices, and one of them: light, dark, or as the system says. */

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

/** Where storage is forbidden a choice lasts as long as the page. */
export function storedChoice<Choice extends string>(key: string, choices: readonly Choice[], usual: Choice): Choice {
  try {
    const kept = localStorage.getItem(key);
    return choices.find((choice) => choice === kept) ?? usual;
  } catch {
    return usual;
  }
}

export function storeChoice(key: string, choice: string): void {
  try {
    localStorage.setItem(key, choice);
  } catch {
    // Not kept.
  }
}
