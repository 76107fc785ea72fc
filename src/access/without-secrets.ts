/** Taking credentials out of any JSON that is not for an admin (SPEC 5; the NVR hides them by role, and sees an admin). */
import { isRecord } from './recorder-layout.ts';

const SECRET_KEY = /password|passwd|passphrase|secret|api_?key|access_?key|private_?key|token$/i;
/** `rtsp://user:password@camera/…`, also inside a command line. */
const IN_AUTHORITY = /(?<=:\/\/)[^\s"']*@/g;
/** `http://camera/flv?user=…&password=…` */
const IN_QUERY = /(?<=[?&](?:user|username|login|pass|password|pwd|token)=)[^&\s"']*/gi;

export function withoutSecrets(json: unknown): unknown {
  if (typeof json === 'string') return json.replace(IN_AUTHORITY, '*:*@').replace(IN_QUERY, '*');
  if (Array.isArray(json)) return json.map(withoutSecrets);
  if (!isRecord(json)) return json;
  const kept = Object.entries(json).filter(([key, value]) => typeof value !== 'string' || !SECRET_KEY.test(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutSecrets(value)]));
}
