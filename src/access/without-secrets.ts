/** Removes credentials and command lines from any JSON that is not for an admin (SPEC 5, 11). */
import { isRecord } from './recorder-layout.ts';

const SECRET_KEY = /password|passwd|passphrase|secret|api_?key|access_?key|private_?key|token$/i;
/** A command line of ffmpeg holds its camera's password. */
const COMMAND_KEY = /^(?:cmd|cmdline|command_?line)$/i;
/** `rtsp://user:password@camera/…`, also inside a longer text. */
const IN_AUTHORITY = /(?<=:\/\/)[^\s"']*@/g;
/** `http://camera/flv?user=…&password=…` */
const IN_QUERY = /(?<=[?&](?:user|username|login|pass|password|pwd|token)=)[^&\s"']*/gi;
/** `-headers "Authorization: Basic …"` */
const IN_HEADER = /(?<scheme>authorization:\s{0,4}[a-z]{1,10}\s{1,4})[^\s"']+/gi;

export function withoutSecrets(json: unknown): unknown {
  if (typeof json === 'string') return withoutSecretsInText(json);
  if (Array.isArray(json)) return json.map(withoutSecrets);
  if (!isRecord(json)) return json;
  const kept = Object.entries(json).filter(([key, value]) => !isSecret(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutSecrets(value)]));
}

const withoutSecretsInText = (text: string): string =>
  text.replace(IN_AUTHORITY, '*:*@').replace(IN_QUERY, '*').replace(IN_HEADER, '$<scheme>*');

/** An object under such a key is searched inside; a boolean is no secret. */
const isSecret = (key: string, value: unknown): boolean =>
  (SECRET_KEY.test(key) || COMMAND_KEY.test(key)) &&
  (typeof value === 'string' || typeof value === 'number' || Array.isArray(value));
