/** Which slices of a plot are pointed at or chosen: by mouse, by touch, and by keys. */
import type { TargetedFocusEvent, TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';

export interface Selection {
  /** The first and the last slice. */
  readonly from: number;
  readonly to: number;
  /** It stays when the pointer leaves: chosen by touch or key, or being dragged. */
  readonly isHeld: boolean;
}

interface Drag {
  readonly from: number;
  readonly x: number;
  readonly isTouch: boolean;
  isWide: boolean;
}

/** Pixels. A hand is never quite still. */
const STILL = 5;

export function useSelection(slices: number, onChoose: ((from: number, to: number) => void) | undefined) {
  const [selection, setSelection] = useState<Selection>();
  const drag = useRef<Drag | undefined>(undefined);
  /** The end that keys move. */
  const moving = useRef(0);
  const anchor = useRef(0);

  const hold = (from: number, to: number, isHeld: boolean): void =>
    setSelection({ from: Math.min(from, to), to: Math.max(from, to), isHeld });
  const clear = (): void => {
    drag.current = undefined;
    setSelection(undefined);
  };
  const choose = (from: number, to: number): void => {
    clear();
    onChoose?.(Math.min(from, to), Math.max(from, to));
  };
  const sliceAt = ({ currentTarget, clientX }: TargetedPointerEvent<HTMLElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return within(Math.floor(((clientX - left) / width) * slices), slices);
  };

  const pointer = {
    onPointerDown(event: TargetedPointerEvent<HTMLElement>): void {
      if (event.button !== 0 || slices === 0) return;
      const from = sliceAt(event);
      drag.current = { from, x: event.clientX, isTouch: event.pointerType !== 'mouse', isWide: false };
      event.currentTarget.setPointerCapture(event.pointerId);
      hold(from, from, true);
    },
    onPointerMove(event: TargetedPointerEvent<HTMLElement>): void {
      if (slices === 0) return;
      const at = sliceAt(event);
      const dragged = drag.current;
      if (!dragged) {
        if (event.pointerType === 'mouse' && !selection?.isHeld) hold(at, at, false);
        return;
      }
      dragged.isWide ||= Math.abs(event.clientX - dragged.x) > STILL;
      if (dragged.isWide) hold(dragged.from, at, true);
    },
    /** A drag closes in on what it passed over, and a click on its bar. A tap only points: its bar is small. */
    onPointerUp(event: TargetedPointerEvent<HTMLElement>): void {
      const dragged = drag.current;
      drag.current = undefined;
      if (!dragged) return;
      anchor.current = dragged.from;
      moving.current = dragged.from;
      if (dragged.isWide || !dragged.isTouch) choose(dragged.from, sliceAt(event));
    },
    onPointerLeave: (): void => setSelection((was) => (was?.isHeld ? was : undefined)),
    onPointerCancel: clear,
  };

  /** The buttons about the selection stand in the same figure. */
  const onBlur = ({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLElement>): void => {
    const isInFigure = relatedTarget instanceof Node && currentTarget.closest('figure')?.contains(relatedTarget);
    if (!isInFigure) clear();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (slices === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    if (typeof act === 'string') {
      if (act === 'clear') clear();
      else if (selection) choose(selection.from, selection.to);
      return;
    }
    moving.current = within(act(selection ? moving.current : slices - 1, slices), slices);
    if (!event.shiftKey || !selection) anchor.current = moving.current;
    hold(anchor.current, moving.current, true);
  };
  return { selection, clear, choose, handlers: { ...pointer, onKeyDown, onBlur } };
}

type SelectionMove = (at: number, slices: number) => number;
const PAGE = 10;

const KEYS: Readonly<Record<string, SelectionMove | 'choose' | 'clear' | undefined>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowDown: (at) => at - 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - PAGE,
  PageUp: (at) => at + PAGE,
  Home: () => 0,
  End: (_, slices) => slices - 1,
  Enter: 'choose',
  ' ': 'choose',
  Escape: 'clear',
};

const within = (at: number, slices: number): number => Math.min(Math.max(at, 0), slices - 1);
