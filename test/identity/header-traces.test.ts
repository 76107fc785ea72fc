/** Identity headers that are not read, because another credential identifies the caller, are in the trace all the same (interface 2.5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type IdentityTrace, type SourceTrace, tracingHeaders } from '../../src/identity/identity-trace.ts';
import { type HeaderLine, someRequest } from '../support/request-facts.ts';

const ALLOWLIST = new Set(['remote-user', 'proxy-authorization']);

function noted(entry: SourceTrace, headers: readonly HeaderLine[]): IdentityTrace | undefined {
  const traced: IdentityTrace[] = [];
  tracingHeaders((told) => traced.push(told), ALLOWLIST)(entry, someRequest({}, headers));
  return traced[0];
}

const SESSION: SourceTrace = { source: 'session', outcomes: [] };
const TOKEN: SourceTrace = { source: 'api-token', carriedBy: 'bearer', outcomes: ['valid'] };

describe('The trace of a request that headers do not speak for', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, entry: SourceTrace, header: HeaderLine, value: string, why: string][] = [
    ['has the headers that accounts of our own leave unread',  SESSION, ['Remote-User', 'root'],            'root',        'auth.enabled is true, so identity headers are ignored'],
    ['has the headers that an API token leaves unread',        TOKEN,   ['REMOTE_ROLE', 'admin'],           'admin',       'the API token identifies the caller'],
    ['hides what holds credentials, on the list or not',       SESSION, ['Proxy-Authorization', 'Basic x'], '[hidden]',    'auth.enabled is true, so identity headers are ignored'],
    ['has those of a proxy whose list is another, by name',    SESSION, ['X-authentik-username', 'root'],   '[not shown]', 'neither mapped nor on the allowlist'],
  ];
  for (const [sentence, entry, [name, sent], value, why] of rows) {
    it(sentence, () =>
      assert.deepEqual(
        noted(entry, [
          ['Accept', '*/*'],
          [name, sent],
        ]),
        {
          ...entry,
          headers: [{ name: name.toLowerCase(), value, fate: 'dropped', why }],
        },
      ),
    );
  }
});
