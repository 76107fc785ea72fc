/** A page that is loaded when it is first shown, or before, when nothing else is left to do. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Profile } from '../shared/account.ts';
import type { PageFacts } from '../shared/page-facts.ts';
import { Trouble } from '../shared/parts.tsx';
import { words } from '../shared/words.ts';

export interface OtherPageProps {
  readonly profile: Profile;
  readonly facts: PageFacts;
}

type Page = ComponentType<OtherPageProps>;

const settingsPages = async () => (await import('./settings-pages.tsx')).SETTINGS_PAGES;

/** Every page but Explore. */
const PAGES = {
  activity: async (): Promise<Page> => (await import('../activity/activity.tsx')).Activity,
  status: async (): Promise<Page> => (await import('../status/status.tsx')).Status,
  settings: async (): Promise<Page> => (await settingsPages()).settings,
  'view-as': async (): Promise<Page> => (await settingsPages())['view-as'],
  enrol: async (): Promise<Page> => (await settingsPages()).enrol,
  password: async (): Promise<Page> => (await settingsPages()).password,
};

type Name = keyof typeof PAGES;
const loaded = new Map<Name, Page>();

/** Undefined while it is loaded; null when that failed. */
async function load(name: Name): Promise<Page | null> {
  try {
    const page = loaded.get(name) ?? (await PAGES[name]());
    loaded.set(name, page);
    return page;
  } catch {
    return null;
  }
}

const WHEN_QUIET_MILLISECONDS = 8000;

/** Loads the other pages a little later: after it, going to one waits for nothing. Call it once. */
export const loadOtherPagesSoon = (): unknown =>
  setTimeout(() => {
    for (const name of Object.keys(PAGES)) void load(name as Name);
  }, WHEN_QUIET_MILLISECONDS);

export function OtherPage({ name, ...props }: OtherPageProps & { readonly name: Name }) {
  const [Shown, setShown] = useState<Page | null | undefined>(() => loaded.get(name));
  const fetchPage = async (): Promise<void> => {
    setShown(undefined);
    const page = await load(name);
    setShown(() => page);
  };
  useEffect(() => {
    if (!loaded.has(name)) void fetchPage();
  }, []);
  if (Shown === undefined) return <p class="starting">{words.ui.frame.moment}</p>;
  if (Shown === null)
    return <Trouble title={words.ui.frame.cannotStart} message={words.ui.common.notReached} onRetry={fetchPage} />;
  return <Shown {...props} />;
}
