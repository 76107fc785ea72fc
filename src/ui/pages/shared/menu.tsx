/** A button that opens a small panel, and the menu of acts of a row; Escape, a click elsewhere, or moving on with Tab closes it. */
import type { ComponentChildren, TargetedEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './parts.tsx';
import { words } from './words.ts';

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
      <summary class="menu-button">{label}</summary>
      <div class={`menu-panel menu-panel-${align}`}>{children}</div>
    </details>
  );
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

/** `note`: what the row itself has no room for on a narrow screen. */
type RowMenuProps = { readonly name: string; readonly note?: ComponentChildren; readonly children: ComponentChildren };

export const RowMenu = ({ name, note, children }: RowMenuProps) => (
  <Menu
    class="row-menu"
    align="end"
    label={
      <>
        <Icon name="more" />
        <span class="out-of-sight">{words.ui.table.actionsOf({ name })}</span>
      </>
    }
  >
    {note !== undefined && <p class="menu-note narrow-only">{note}</p>}
    <div class="row-acts" onClickCapture={closeMenu}>
      {children}
    </div>
  </Menu>
);

/** Closes the menu before the act itself: the focus is on the menu's button when a dialog opens. */
function closeMenu({ target, currentTarget }: TargetedEvent<HTMLElement, MouseEvent>): void {
  const menu = currentTarget.closest('details');
  if (!menu || !(target instanceof Element) || !target.closest('button')) return;
  menu.open = false;
  menu.querySelector('summary')?.focus();
}

export interface ActProps {
  readonly text: string;
  /** The name of the record, for those who hear the button and do not see its row. */
  readonly name: string;
  /** It ends or deletes something. */
  readonly isDangerous?: boolean | undefined;
  /** Why it cannot be done; undefined when it can. */
  readonly why?: string | undefined;
  readonly onAct: () => void;
}

/** One act of a row, in its menu or beside it: the same act looks the same everywhere. */
export const Act = ({ text, name, isDangerous = false, why, onAct }: ActProps) => (
  <button
    class={`button button-small${isDangerous ? ' button-bad' : ''}`}
    type="button"
    disabled={why !== undefined}
    title={why}
    aria-label={`${text}: ${name}`}
    onClick={onAct}
  >
    {text}
  </button>
);
