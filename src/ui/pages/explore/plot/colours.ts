/** The colours of a plot that tells names apart. */

export const COLOURS = 8;
export const OTHERS = 'camera-other';
