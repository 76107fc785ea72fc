/** New events: a bar to click while the list is read, which lies over the list and moves nothing; else only said to screen readers. */
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { words } from '../../shared/words.ts';

interface ArrivalsBarProps {
  readonly waiting: number;
  /** So many are in the list already. */
  readonly shown: number;
  readonly onShow: () => void;
}

export function ArrivalsBar({ waiting, shown, onShow }: ArrivalsBarProps) {
  const place = useRef<HTMLDivElement>(null);
  const show = (): void => {
    onShow();
    // When the rows are there: the bar is gone, and with it the focus.
    requestAnimationFrame(() => focusOnNewest(place));
  };
  return (
    <div ref={place} class="arrivals" role="status">
      {waiting > 0 && (
        <button class="button button-strong arrivals-button" type="button" onClick={show}>
          {words.explore.newEvents(waiting)}
        </button>
      )}
      {waiting === 0 && shown > 0 && <span class="out-of-sight">{words.explore.newEvents(shown)}</span>}
    </div>
  );
}

function focusOnNewest(place: RefObject<HTMLDivElement | null>): void {
  scrollTo({ top: 0 });
  const newest = place.current?.parentElement?.querySelector('.event');
  if (newest instanceof HTMLElement) newest.focus({ preventScroll: true });
}
