/** The acts of one row behind one button. A dialog that an act opens gives the focus back to that button. */
import type { ComponentChildren, TargetedEvent } from 'preact';
import { Icon } from '../icon.tsx';
import { Menu } from '../menu.tsx';
import { words } from '../words.ts';

interface RowMenuProps {
  readonly name: string;
  /** What the row itself has no room for on a narrow screen. */
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}

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
