/** Which page is shown: marked in a navigation, and named in the title of the window. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';

interface NavLinkProps {
  readonly class: string;
  readonly href: string;
  readonly isHere: boolean;
  readonly children: ComponentChildren;
}

/** A link that is marked when it leads to the page that is shown. */
export const NavLink = ({ class: name, href, isHere, children }: NavLinkProps) => (
  <Link class={`nav-link ${name}${isHere ? ' is-here' : ''}`} href={href} aria-current={isHere ? 'page' : undefined}>
    {children}
  </Link>
);

/** Tabs and screen readers tell pages apart by it. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Postern`;
  }, [title]);
}
