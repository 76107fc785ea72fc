/** Tells the ledger of responses that show pictures or sound: when they begin, and when they end (SPEC 14). */
import type { Admitted } from '../decision/admit.ts';
import type { UpstreamWatch } from '../decision/gate-watch.ts';

export interface ViewingWatch {
  /** The first byte is there. Returns the function to call behind the last one. */
  begin(admission: Admitted, shown: Shown): () => void;
  /** A proxy in front asked about the request: what came of it is not known here. */
  asked(admission: Admitted, method: string): void;
}

export interface Shown {
  readonly method: string;
  /** False: a range of it, or what the client has already. Players ask for many ranges. */
  readonly isWhole: boolean;
  /** Of the request, where it was read: JSON. */
  readonly body?: Buffer | undefined;
}

/** Whether the row's responses show anything. The response to HEAD shows nothing. */
export const showsPictures = ({ route }: Admitted, method: string): boolean =>
  route.kind === 'listed' && route.row.views !== undefined && method !== 'HEAD';

/** A refusal or a fault of the NVR shows nothing; 304 shows what the client has already. */
const isShown = (status: number): boolean => (status >= 200 && status < 300) || status === 304 || status === 101;

/** `onEnd` calls back when the response is over, in whatever way. */
export function notingViewing(
  watch: UpstreamWatch,
  viewings: ViewingWatch,
  { admission, ...asked }: { readonly admission: Admitted } & Omit<Shown, 'isWhole'>,
  onEnd: (end: () => void) => void,
): UpstreamWatch {
  if (!showsPictures(admission, asked.method)) return watch;
  return {
    ...watch,
    onHead(status, type) {
      watch.onHead(status, type);
      if (isShown(status)) onEnd(viewings.begin(admission, { ...asked, isWhole: status !== 206 && status !== 304 }));
    },
  };
}
