/** The name of the page in the window's title, so that tabs and screen readers can tell pages apart. */
import { useEffect } from 'preact/hooks';

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Postern`;
  }, [title]);
}
