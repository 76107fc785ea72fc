/** What an admitted request is a viewing of: its viewer, its kind, and the recorded time that it names (SPEC 14). Pure. */
import type { Caller, Credential } from '../../domain/caller.ts';
import { actualSender, credentialName, credentialProvider } from '../../domain/credentials.ts';
import type { Locator, Views } from '../../domain/policy.ts';
import { offsetReader } from '../../domain/zone-offsets.ts';
import { type Subject, storable, type WatchedTime } from './spans.ts';

export interface ViewingCaller {
  readonly caller: Caller | undefined;
  readonly address: string;
}

/** What Postern saw of it, where it did not see the pictures themselves. */
export type SeenOf = 'signalling' | 'question';

export function toSubject(
  { caller, address }: ViewingCaller,
  views: Views,
  camera: string | null,
  seen?: SeenOf,
): Subject {
  const mark = views === 'signalling' ? 'signalling' : seen;
  const named = caller && lentName(actualSender(caller).credential);
  return {
    kind: views === 'signalling' ? 'live' : views,
    user: caller ? actualSender(caller).name : null,
    credential: caller ? viewerText(actualSender(caller).credential) : null,
    address,
    // As it stands in the request: a stream of the NVR may have any name.
    camera: camera === null ? null : storable(camera),
    ...((mark || named) && { detail: { ...named, ...(mark && { seen: mark }) } }),
  };
}

/** The name of the link or screen that shows the pictures: it is known when the credential is gone. */
function lentName(credential: Credential): Readonly<Record<string, string>> | undefined {
  if (credential.kind === 'screen') return { screen: credential.screenName };
  const name = credential.kind === 'link' ? credential.linkName : undefined;
  return name === undefined ? undefined : { link: name };
}

/** The sessions of a person are one viewer: a tablet that logs in anew goes on watching. */
const viewerText = (credential: Credential): string =>
  credential.kind === 'session' ? (credentialProvider(credential) ?? 'session') : credentialName(credential);

const SECONDS = /^\d{1,12}(?:\.\d{1,9})?$/;
/** A moment in ids of events and names of files: `1700000000.123456-abc`, `porch-1700000000.123456-abc.jpg`. */
const STAMP = /(?:^|[-_/])(?<at>\d{10}(?:\.\d{1,9})?)(?=[-.]|$)/;
const HOUR = 3600;

/** The recorded time that the path of a request names, by the parameters of its row, and the event; undefined for none. */
export function watchedTime(
  parameters: Readonly<Record<string, string>>,
  locators: readonly Locator[] = [],
): WatchedTime | undefined {
  const time = timeIn(parameters);
  const named = locators.find(({ kind, source }) => kind === 'event' && source === 'path');
  const event = named && parameters[named.name];
  return time && event !== undefined ? { ...time, event: storable(event) } : time;
}

function timeIn(parameters: Readonly<Record<string, string>>): WatchedTime | undefined {
  const { start = '', end = '', time = '' } = parameters;
  if (SECONDS.test(start) && SECONDS.test(end)) return inOrder(Number(start), Number(end));
  if (SECONDS.test(time)) return { from: Number(time), to: Number(time) };
  const hour = hourStart(parameters);
  if (hour !== undefined) return { from: hour, to: hour + HOUR };
  for (const value of Object.values(parameters)) {
    const at = STAMP.exec(value)?.groups?.['at'];
    if (at !== undefined) return { from: Number(at), to: Number(at) };
  }
  return undefined;
}

const inOrder = (one: number, other: number): WatchedTime => ({ from: Math.min(one, other), to: Math.max(one, other) });

/** `2026-11/22/07`, or `2026-11-22/07`: in UTC, or in the time zone that is named. */
function hourStart({ month, day, date, hour, zone = 'utc' }: Readonly<Record<string, string>>): number | undefined {
  const text = date ?? (month === undefined ? undefined : `${month}-${day}`);
  if (text === undefined || hour === undefined) return undefined;
  const at = Date.parse(`${text}T${hour}:00:00Z`) / 1000;
  return Number.isNaN(at) ? undefined : at - zoneOffset(zone.replaceAll(',', '/'), at);
}

/** Seconds that the local clock of the zone is ahead of UTC; 0 for a zone that is not known. */
function zoneOffset(timeZone: string, at: number): number {
  if (timeZone.toLowerCase() === 'utc') return 0;
  try {
    return offsetReader(timeZone)(at);
  } catch {
    return 0;
  }
}
