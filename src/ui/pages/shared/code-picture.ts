/** A text as a QR code. Few people need the encoder, so it is a file of its own, loaded when one is shown. */
import encodeQR from 'qr';

/** Modules of white around it, which readers look for (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** The address of the picture, an SVG. */
export const codePicture = (text: string): string =>
  `data:image/svg+xml,${encodeURIComponent(encodeQR(text, 'svg', { ecc: 'medium', border: QUIET_ZONE }))}`;
