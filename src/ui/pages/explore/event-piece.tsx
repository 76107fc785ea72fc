/** A piece of the list: its rows while it is near the screen, else a gap as high as they were. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { EventRow } from './event-row.tsx';
import type { EventView } from './event-view.ts';

interface EventPieceProps {
  readonly events: readonly EventView[];
  /** Rendered from the start: it is visible at once. */
  readonly isFirst: boolean;
  /** The heading above says which day it is. */
  readonly hasDays: boolean;
  readonly openId: string | undefined;
  readonly newIds: ReadonlySet<string>;
  readonly hrefOf: (event: EventView) => string;
}

/** A row before any was measured; the browser keeps the place when it was wrong. */
const GUESSED_ROW_HEIGHT = 82;

/** So much of the list is ready above and below the screen. */
const NEAR = '1200px 0px';

export function EventPiece({ events, isFirst, hasDays, openId, newIds, hrefOf }: EventPieceProps) {
  const place = useRef<HTMLOListElement>(null);
  const height = useRef(0);
  const isNear = useIsNear(place, isFirst, height);
  return (
    <ol
      ref={place}
      class="event-rows"
      {...(isNear ? {} : { style: { height: `${height.current || events.length * GUESSED_ROW_HEIGHT}px` } })}
    >
      {isNear &&
        events.map((event) => (
          <EventRow
            key={event.id}
            event={event}
            href={hrefOf(event)}
            isOpen={event.id === openId}
            isNew={newIds.has(event.id)}
            hasDay={hasDays}
          />
        ))}
    </ol>
  );
}

/** A row that has the focus stays, wherever it is: the keyboard must not lose its place. */
function useIsNear(place: RefObject<HTMLOListElement | null>, isFirst: boolean, height: { current: number }): boolean {
  const [isNear, setIsNear] = useState(isFirst);
  useEffect(() => {
    const list = place.current;
    if (!list) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        const isIn = entries.at(-1)?.isIntersecting === true;
        if (!isIn && list.contains(document.activeElement)) return;
        if (!isIn && list.childElementCount > 0) height.current = list.offsetHeight;
        setIsNear(isIn);
      },
      { rootMargin: NEAR },
    );
    observer.observe(list);
    return () => observer.disconnect();
  }, []);
  return isNear;
}
