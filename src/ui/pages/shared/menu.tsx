/** A button that opens a small panel; Escape, a click elsewhere, or moving on with Tab closes it. */
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './parts.tsx';

interface MenuProps {
  readonly class: string;
  /** Which edge of the panel stands below the button. */
  readonly align: 'start' | 'end';
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
  readonly onOpen?: () => void;
}

export function Menu({ class: name, align, label, children, onOpen }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => closeWhenLeft(menu.current), []);
  const onToggle = ({ currentTarget }: { readonly currentTarget: HTMLDetailsElement }): void => {
    if (!currentTarget.open) return;
    keepInside(currentTarget.querySelector('.menu-panel'));
    onOpen?.();
  };
  return (
    <details ref={menu} class={`menu ${name}`} onToggle={onToggle}>
      <summary class="menu-button">
        {label}
        {name.startsWith('filter') && <Icon name="chevron" />}
      </summary>
      <div class={`menu-panel menu-panel-${align}`}>{children}</div>
    </details>
  );
}

/** Closes the menu before the act itself: the focus is on the menu's button when a dialog opens. */
export function closeMenu({ target, currentTarget }: TargetedEvent<HTMLElement, MouseEvent>): void {
  const menu = currentTarget.closest('details');
  if (!menu || !(target instanceof Element) || !target.closest('button')) return;
  menu.open = false;
  menu.querySelector('summary')?.focus();
}

/** A panel that would reach beyond the right edge of the window hangs from the other side of its button. */
function keepInside(panel: Element | null): void {
  panel?.classList.remove('is-turned');
  const right = panel?.getBoundingClientRect().right ?? 0;
  panel?.classList.toggle('is-turned', right > document.documentElement.clientWidth);
}

function closeWhenLeft(menu: HTMLDetailsElement | null): (() => void) | undefined {
  if (!menu) return undefined;
  const isOutside = (target: EventTarget | null): boolean => !(target instanceof Node && menu.contains(target));
  const onOutside = (event: Event): void => {
    if (menu.open && isOutside(event.target)) menu.open = false;
  };
  const onEscape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    menu.querySelector('summary')?.focus();
  };
  const left = new AbortController();
  const { signal } = left;
  for (const event of ['pointerdown', 'focusin']) document.addEventListener(event, onOutside, { signal });
  menu.addEventListener('keydown', onEscape, { signal });
  return () => left.abort();
}
