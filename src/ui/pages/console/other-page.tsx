/** A page that is loaded when it is first shown, or before, when nothing else is left to do. */
import { useEffect, useState } from 'preact/hooks';
import { Trouble } from '../shared/full-page-notices.tsx';
import { words } from '../shared/words.ts';
import type { OTHER_PAGES, OtherPageProps } from './other-pages.tsx';

type OtherPages = typeof OTHER_PAGES;
/** Undefined while they are loaded; null when that failed. */
type LoadedPages = OtherPages | null | undefined;

let loaded: OtherPages | undefined;

async function load(): Promise<OtherPages | null> {
  try {
    loaded ??= (await import('./other-pages.tsx')).OTHER_PAGES;
    return loaded;
  } catch {
    return null;
  }
}

const WHEN_QUIET_MILLISECONDS = 8000;

/** Loads the other pages a little later: after it, going to one waits for nothing. Call it once. */
export const loadOtherPagesSoon = (): unknown => setTimeout(() => void load(), WHEN_QUIET_MILLISECONDS);

export function OtherPage({ name, ...props }: OtherPageProps & { readonly name: keyof OtherPages }) {
  const [pages, setPages] = useState<LoadedPages>(loaded);
  const fetchPages = async (): Promise<void> => {
    setPages(undefined);
    setPages(await load());
  };
  useEffect(() => {
    if (!loaded) void fetchPages();
  }, []);
  if (pages === undefined) return <p class="starting">{words.frame.moment}</p>;
  if (pages === null)
    return <Trouble title={words.frame.cannotStart} message={words.common.notReached} onRetry={fetchPages} />;
  const Page = pages[name];
  return <Page {...props} />;
}
