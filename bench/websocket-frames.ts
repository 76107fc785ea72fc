/** One WebSocket message each way, made once: what is measured is who passes them on, not who makes them (RFC 6455 5). */
import { createHash } from 'node:crypto';

/** As one goes from a page to an NVR: a topic and a word. */
const TEXT = Buffer.from('{"topic":"cam1/detect/set","payload":"ON"}');
const FINAL_TEXT = 0x81;
const MASKED = 0x80;

/** Its mask is zero: so the bytes stay as they are, and it is masked all the same. */
export const CLIENT_FRAME = Buffer.concat([Buffer.from([FINAL_TEXT, MASKED | TEXT.length, 0, 0, 0, 0]), TEXT]);
export const SERVER_FRAME = Buffer.concat([Buffer.from([FINAL_TEXT, TEXT.length]), TEXT]);

export const acceptKey = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
