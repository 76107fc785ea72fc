/** One WebSocket message each way, made once: what is measured is who passes them on, not who makes them (RFC 6455 5). */
import { createHash } from 'node:crypto';

/** As a page says it, and as an NVR does: both pass to and from a viewer, whose every message is judged. */
const FROM_PAGE = Buffer.from('{"topic":"onConnect","payload":"","retain":false}');
const FROM_NVR = Buffer.from('{"topic":"cam1/motion","payload":"ON","retain":false}');
const FINAL_TEXT = 0x81;
const MASKED = 0x80;

/** Its mask is zero: so the bytes stay as they are, and it is masked all the same. */
export const CLIENT_FRAME = Buffer.concat([
  Buffer.from([FINAL_TEXT, MASKED | FROM_PAGE.length, 0, 0, 0, 0]),
  FROM_PAGE,
]);
export const SERVER_FRAME = Buffer.concat([Buffer.from([FINAL_TEXT, FROM_NVR.length]), FROM_NVR]);

export const acceptKey = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
