/** A hole that was published in a recorder or in a proxy of this kind, and the attack on it: what the replay and the document are made from. */
import type { Received } from '../support/fake-nvr.ts';

export interface PublishedHole {
  /** As it was published: `CVE-…`, `GHSA-…`, or a name where there is no number. */
  readonly id: string;
  readonly product: string;
  readonly title: string;
  /** Two sentences: what could be done, and why. */
  readonly story: string;
  /** Where it was read. */
  readonly source: string;
  /** Why it does not work through Postern; a sentence, and what stays possible. */
  readonly here: string;
  /** The route table, when it is not the reference's. */
  readonly policy?: 'strict';
  /** The recorder behind has the hole: whether this request uses it. A request that does gets the mark. */
  readonly isUsedBy: (request: Received) => boolean;
  /** Its response to such a request, with the mark in it. */
  readonly leak?: (mark: string) => string;
  /** Its response to any other request. */
  readonly otherwise?: string;
  readonly attacks: readonly Attack[];
}

/** None is an admin: a caller who is not logged in, a viewer of all cameras, one of cam1 alone, and one who may not speak through cam1. */
export type Attacker = 'unknown' | 'viewer' | 'restricted' | 'silent';

export type Attack = RequestAttack | MessageAttack;

export interface RequestAttack {
  readonly by: Attacker;
  /** GET unless given. */
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** `as itself`: the request is harmless once the forged part is gone, and arrives with the caller's own name and role. */
  readonly arrives?: 'nothing' | 'as itself';
  /** What Postern itself asks the recorder before it decides. */
  readonly asks?: readonly string[];
}

/** On a WebSocket that the caller may open. */
export interface MessageAttack {
  readonly by: Attacker;
  readonly socket: string;
  readonly message: string;
  /** Sent behind it: when it arrives, the other one has been judged. */
  readonly honest: string;
}

/** The values of a header as a CGI-like server reads it: `_` and `.` for `-`, whatever the case. */
export const cgiValues = ({ headers }: Received, wanted: string): string[] =>
  headers.filter(([name]) => name.toLowerCase().replaceAll(/[_.]/g, '-') === wanted).map(([, value]) => value);

/** The path as a server takes it that decodes it and resolves dot segments. */
export const resolved = ({ target }: Received): string => {
  const path = decodeURIComponent((target.split(/[?#]/, 1)[0] ?? '').replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
  return new URL(path.replace(/^\/+/, '/'), 'http://nvr').pathname;
};

export const UPGRADE: readonly string[] = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];
