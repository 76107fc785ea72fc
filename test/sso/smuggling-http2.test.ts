/** Identity headers in disguise over HTTP/2, where names are lower-case and repeats stay apart (interface 5.5; RFC 9113 8.2). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type Http2Client, http2Client } from '../support/http2-client.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const SECRET = 'correct-horse-battery';

describe('Over HTTP/2', () => {
  let nvr: FakeNvr;
  let house: Runtime;
  let client: Http2Client;
  before(async () => {
    nvr = await startFakeNvr();
    house = await startInstance({
      people: [],
      config: {
        tls: { enabled: true },
        nvr: { url: nvr.url, cameras: ['cam1'] },
        auth: { enabled: false },
        proxy: {
          auth_secret: SECRET,
          header_map: { user: 'X-Forwarded-User', role: 'Remote-Groups' },
          default_role: 'none',
        },
      },
    });
    const certificate = readFileSync(join(house.directory, 'tls/fullchain.pem'), 'utf8');
    client = await http2Client(house.url.replace('http:', 'https:'), certificate);
  });
  after(async () => {
    client?.close();
    await house?.close();
    await nvr?.close();
  });

  const VERA: OutgoingHttpHeaders = {
    'x-proxy-secret': SECRET,
    'x-forwarded-user': 'vera',
    'remote-groups': 'viewer',
  };
  const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  // biome-ignore format: a table
  const rows: [sentence: string, headers: OutgoingHttpHeaders, told: string | number, path?: string][] = [
    ['the proxy names a user',                                VERA,                                                              'vera as viewer'],
    ['a user header in two lines names nobody',               { ...VERA, 'x-forwarded-user': ['vera', 'root'] },                 401],
    ['a role header in two lines denies',                     { ...VERA, 'remote-groups': ['viewer', 'admin'] },                 403],
    ['a secret in two lines is none',                         { ...VERA, 'x-proxy-secret': [SECRET, SECRET] },                   400],
    ['a secret with a blank behind it is another one',        { ...VERA, 'x-proxy-secret': `${SECRET} ` },                       401],
    ['a missing secret is asked for',                         { ...VERA, 'x-proxy-secret': [] },                                 401],
    ['an underscore twin is refused',                         { ...VERA, x_forwarded_user: 'root' },                             400],
    ['a twin with dots is refused',                           { ...VERA, 'remote.role': 'admin' },                               400],
    ['a claim of a role is dropped',                          { ...VERA, 'remote-role': 'admin', 'remote-user': 'root' },        'vera as viewer'],
    ['a name in UTF-8 is told percent-encoded',               { ...VERA, 'x-forwarded-user': utf8('jörg') },                     'j%C3%B6rg as viewer'],
    ['nobody is known on a public page without the secret',   { ...VERA, 'x-proxy-secret': [] },                                 ' as ', '/review'],
  ];
  for (const [sentence, headers, expected, path = '/api/version'] of rows) {
    it(sentence, async () => {
      nvr.received.length = 0;
      const { status } = await client.ask(path, headers);
      const told = `${nvr.lastHeader('remote-user')} as ${nvr.lastHeader('remote-role')}`;
      assert.equal(nvr.received.length === 0 ? status : told, expected);
    });
  }
});
