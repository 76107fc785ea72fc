/** A text as a QR code, drawn here as SVG: no picture comes from elsewhere (SPEC 8, 12). */
import encodeQR from 'qr';

/** Modules of white around the code (ISO/IEC 18004, 4 on each side). */
const QUIET_ZONE = 4;

export const qrCode = (text: string): string => encodeQR(text, 'svg', { ecc: 'medium', border: QUIET_ZONE });
