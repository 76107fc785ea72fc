/** An error boundary: when one page throws, the frame and the other pages stay usable. */
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Trouble } from '../shared/full-page-notices.tsx';
import { words } from '../shared/words.ts';

export function Boundary({ children }: { children: ComponentChildren }) {
  // Reported in the browser's console like an uncaught error.
  const [fault, again] = useErrorBoundary((caught) => reportError(caught));
  const [path] = useLocation();
  useEffect(() => {
    if (fault) again();
  }, [path]);
  if (!fault) return <>{children}</>;
  return <Trouble title={words.frame.broken} message={words.frame.brokenWhy} onRetry={again} />;
}
