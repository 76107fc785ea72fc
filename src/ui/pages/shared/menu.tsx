/** A button that opens a small panel; Escape, a click elsewhere, or moving on with Tab closes it. */
import type { ComponentChildren, TargetedEvent, TargetedKeyboardEvent } from 'preact';
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
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    const close = (event: Event): void => {
      const isInside = event.target instanceof Node && menu.current?.contains(event.target);
      if (menu.current && !isInside) menu.current.open = false;
    };
    for (const event of ['pointerdown', 'focusin']) document.addEventListener(event, close, { signal });
    return () => left.abort();
  }, []);
  const onToggle = ({ currentTarget }: { readonly currentTarget: HTMLDetailsElement }): void => {
    if (!currentTarget.open) return;
    // A panel that would reach beyond the right edge of the window hangs from the other side of its button.
    const panel = currentTarget.querySelector('.menu-panel');
    panel?.classList.remove('is-turned');
    const right = panel?.getBoundingClientRect().right ?? 0;
    panel?.classList.toggle('is-turned', right > document.documentElement.clientWidth);
    panel?.scrollIntoView({ block: 'nearest' });
    onOpen?.();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDetailsElement>): void => {
    const { key, currentTarget } = event;
    if (key !== 'Escape' || !currentTarget.open) return;
    event.stopPropagation();
    currentTarget.open = false;
    currentTarget.querySelector('summary')?.focus();
  };
  return (
    <details ref={menu} class={`menu ${name}`} {...{ onToggle, onKeyDown }}>
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
