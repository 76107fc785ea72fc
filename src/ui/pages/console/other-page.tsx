/** A page that is loaded when it is first shown, or before, when nothing else is left to do. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Trouble } from '../shared/parts.tsx';
import { words } from '../shared/words.ts';

const settings = () => import('../settings/settings.tsx');

/** Every page but Explore. */
const PAGES = {
  activity: async () => (await import('../../../features/ledger/page/activity.tsx')).Activity,
  status: async () => (await import('../status/status.tsx')).Status,
  settings: async () => (await settings()).Settings,
  'view-as': async () => (await settings()).ViewAs,
  enrol: async () => (await settings()).TwoStep,
  password: async () => (await settings()).Password,
} satisfies Record<string, () => Promise<ComponentType>>;

type Name = keyof typeof PAGES;
const loaded = new Map<Name, ComponentType>();

/** Undefined while it is loaded; null when that failed. */
async function load(name: Name): Promise<ComponentType | null> {
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

export function OtherPage({ name }: { name: Name }) {
  const [Shown, setShown] = useState<ComponentType | null | undefined>(() => loaded.get(name));
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
  return <Shown />;
}
