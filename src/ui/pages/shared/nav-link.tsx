/** A link of a navigation, marked when it is the page that is shown. */
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';

interface NavLinkProps {
  readonly class: string;
  readonly href: string;
  readonly isHere: boolean;
  readonly children: ComponentChildren;
}

export const NavLink = ({ class: name, href, isHere, children }: NavLinkProps) => (
  <Link class={`nav-link ${name}${isHere ? ' is-here' : ''}`} href={href} aria-current={isHere ? 'page' : undefined}>
    {children}
  </Link>
);
