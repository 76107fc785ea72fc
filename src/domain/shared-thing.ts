/** The one thing that a link shows (SPEC 13). Times are Unix seconds. */

/** An event and a review keep their camera: it never changes. A review that was over when its link was made has its times. */
export type SharedThing =
  | {
      readonly kind: 'event' | 'review';
      readonly id: string;
      readonly camera: string;
      readonly from?: number;
      readonly to?: number;
    }
  | { readonly kind: 'recording'; readonly camera: string; readonly from: number; readonly to: number }
  | { readonly kind: 'live' | 'snapshot'; readonly camera: string };

/** Links stand below, each at its secret. */
export const LINK_PATH = '/s';
