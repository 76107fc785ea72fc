/** Tells the ledger of responses that show pictures or sound: when they begin, and when they end (SPEC 14). */
import type { Ending } from '../../domain/async.ts';
import type { Admitted } from '../decision/admit.ts';
import type { HeadListener } from '../decision/gate-watch.ts';

export interface ViewingWatch {
  /** The first byte is there. Returns the function to call behind the last one. `isWhole`: not a range, nor what the client has already. */
  begin(asked: AskedPictures, isWhole: boolean): () => void;
  /** A proxy in front asked about the request: what came of it is not known here. */
  asked(asked: AskedPictures): void;
}

export interface AskedPictures {
  readonly admission: Admitted;
  readonly method: string;
  /** The body of the request, where it was read: JSON. */
  readonly body?: Buffer | undefined;
}

/** Whether the row's responses show anything. The response to HEAD shows nothing. */
export const showsPictures = ({ admission: { route }, method }: AskedPictures): boolean =>
  route.kind === 'listed' && route.row.views !== undefined && method !== 'HEAD';

/** A refusal or a fault of the NVR shows nothing; 304 shows what the client has already. */
const isShown = (status: number): boolean => (status >= 200 && status < 300) || status === 304 || status === 101;
/** Players ask for many ranges. */
const isWhole = (status: number): boolean => status !== 206 && status !== 304;

/** What to tell of the head; undefined where nothing is shown. The viewing ends with the request. */
export function viewingNoter(
  viewings: ViewingWatch | undefined,
  asked: AskedPictures,
  ending: Ending,
): HeadListener | undefined {
  if (!viewings || !showsPictures(asked)) return undefined;
  return (status) => {
    if (!isShown(status)) return;
    ending.defer(viewings.begin(asked, isWhole(status)));
  };
}
