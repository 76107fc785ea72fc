/** Keeps a page that breaks from taking the frame with it: what else there is can still be reached. */
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { words } from '../shared/words.ts';
import { Trouble } from './notices.tsx';

export function Boundary({ children }: { children: ComponentChildren }) {
  // Told on the console of the browser as if nobody had caught it.
  const [fault, again] = useErrorBoundary((caught) => reportError(caught));
  const [path] = useLocation();
  useEffect(() => {
    if (fault) again();
  }, [path]);
  if (!fault) return <>{children}</>;
  return <Trouble title={words.frame.broken} message={words.frame.brokenWhy} onRetry={again} />;
}
