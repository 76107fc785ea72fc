/** Removes credentials, command lines and camera sources from any JSON that is not for an admin (SPEC 5, 11). */
import { isRecord, mapJson, mapMembers } from '../domain/json.ts';

const SECRET_KEY =
  /passw(?:or)?d|passphrase|passwd|secret|credential|api_?key|access_?key|private_?key|stream_?key|token$|^pwd$|^psk$|^authorization$|^cookies?$/i;
/** A command line of ffmpeg holds its camera's password. */
const COMMAND_KEY = /^(?:cmd|cmdline|command_?line)$/i;
/** Arguments of ffmpeg may hold a header or a key; a preset is a word of the NVR's own. */
const ARGUMENTS_KEY = /_args$/;
const PRESET = /^preset-[\w-]+$/;
/** A source that is a command. */
const OF_COMMAND = /^(?:exec|echo|expr):/i;
/** Nothing is known of what these variables hold. */
const VARIABLES_KEY = 'environment_vars';
/** `?user=…&password=…`, and the parameters that the stream server writes behind `#`. */
const PARAMETER = /(?<=[?&;#])(?<name>[^=&;#?\s]{1,64}=)[^&;#\s"']+/g;
const SECRET_PARAMETER = /user|login|pass|pwd|token|secret|key|auth|priv|cred|session|share|client_id|device_id/i;
/** Where the path is a secret as well: the key of a stream. */
const WITH_SECRET_PATH = /(?<place>\b(?:rtsps|rtmps?):\/\/[^/\s"']*\/)[^\s"']+/gi;
/** `-headers "Authorization: Basic …"` */
const IN_HEADER = /(?<scheme>authorization:\s{0,4}[a-z]{1,10}\s{1,4})[^\s"']+/gi;

export const withoutSecrets = (json: unknown): unknown => partWithoutSecrets(json);

function partWithoutSecrets(value: unknown, key?: string): unknown {
  if (key !== undefined) {
    if (isSecret(key, value)) return undefined;
    if (key === VARIABLES_KEY) return {};
    if (ARGUMENTS_KEY.test(key)) return withoutArguments(value);
  }
  if (typeof value === 'string') return OF_COMMAND.exec(value)?.[0] ?? withoutSecretsInText(value);
  return typeof value === 'object' ? mapJson(value, partWithoutSecrets) : value;
}

/** `output_args` has arguments by what is made of the stream. */
function withoutArguments(value: unknown): unknown {
  if (isRecord(value)) return mapMembers(value, withoutArguments);
  return typeof value === 'string' && PRESET.test(value) ? value : [];
}

/** Linear in the length of the text: it may be long, and of a camera's making. */
export const withoutSecretsInText = (text: string): string =>
  text
    .replace(/\S+/g, withoutAuthority)
    .replace(WITH_SECRET_PATH, '$<place>*')
    .replace(PARAMETER, (whole: string, name: string) => (SECRET_PARAMETER.test(name) ? `${name}*` : whole))
    .replace(IN_HEADER, '$<scheme>*');

/** An address as it is, or encoded as a parameter of another one. */
const AROUND_AUTHORITY: readonly (readonly [start: string, end: string])[] = [
  ['://', '@'],
  ['%3a%2f%2f', '%40'],
];

/** A password may hold any letter, also one that would end an authority: of a word all up to the last `@` goes. */
function withoutAuthority(word: string): string {
  if (!/:\/\/|%3a%2f%2f/i.test(word)) return word;
  const folded = word.toLowerCase();
  for (const [start, end] of AROUND_AUTHORITY) {
    const from = folded.indexOf(start);
    const to = folded.lastIndexOf(end);
    if (from >= 0 && to >= from + start.length) return `${word.slice(0, from + start.length)}*:*${word.slice(to)}`;
  }
  return word;
}

/** An object under such a key is searched inside; a boolean is no secret. */
const isSecret = (key: string, value: unknown): boolean =>
  (SECRET_KEY.test(key) || COMMAND_KEY.test(key)) &&
  (typeof value === 'string' || typeof value === 'number' || Array.isArray(value));

/** `exec:ffmpeg -i …`, `ffmpeg:rtsp://…`, `nest:?…`: a kind and a colon, and not the port of a client's address. */
const OF_A_KIND = /^(?<kind>[a-z][a-z0-9+.-]{0,30}:)(?!\d{1,5}$)/i;
const HOST = /^[\w.:[\]-]*/;

/** The scheme and the host of an address, the kind of any other source: `rtsp://10.0.0.5:554`, `exec:`. */
export function withoutSource(text: string): string {
  const kind = OF_A_KIND.exec(text)?.groups?.['kind'];
  if (kind === undefined) return text.includes('://') || text.includes('@') ? '' : text;
  const start = `${kind}//`;
  return text.startsWith(start) ? start + readHost(text.slice(start.length)) : kind;
}

/** Empty when it cannot be told: an `@` behind a slash ends a password with a slash, or belongs to the path. */
export function readHost(rest: string): string {
  const at = rest.lastIndexOf('@');
  return /[/?#\\]/.test(rest.slice(0, at + 1)) ? '' : (HOST.exec(rest.slice(at + 1))?.[0] ?? '');
}
