/** The head of a request: what is admitted has one framing, one host and one identity, before and after it is rewritten. */
import assert from 'node:assert/strict';
import type { Role, UserName } from '../../../src/domain/names.ts';
import { strictTarget } from '../../../src/gateway/decision/strict-target.ts';
import { rewriteHeaders } from '../../../src/gateway/forward/judged-request.ts';
import { someRequest } from '../../support/request-facts.ts';
import type { FuzzTarget } from './target.ts';

const RULES = {
  identityHeaders: new Set(['x-forwarded-user', 'remote-groups', 'tailscale-user-login']),
  cookieName: 'frigate_token',
  nvrSecret: 'of-the-nvr',
};
const CALLER = {
  name: 'vera' as UserName,
  role: 'viewer' as Role,
  scope: { kind: 'all' },
  credential: { kind: 'internal-listener' },
} as const;
const CLIENT = { address: '192.0.2.9', host: 'nvr.test', encrypted: true, viaTrustedProxy: false } as const;
/** As CGI-like servers read a name. */
const asRead = (name: string): string => name.toLowerCase().replaceAll(/[_.]/g, '-');

/** Lines as a server reads them that knows nothing of ours. */
function readHead(text: string) {
  const [head = '', ...rest] = text.split('\n\n');
  const [first = '', ...lines] = head.split('\n');
  const [method = '', target = '', version = ''] = first.split(' ');
  const rawHeaders = lines.flatMap((line) => {
    const cut = line.indexOf(':');
    return [line.slice(0, Math.max(cut, 0)), line.slice(cut + 1).trim()];
  });
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map(asRead);
  return { method, target, httpVersion: version.replace('HTTP/', ''), rawHeaders, names, behind: rest.join('\n\n') };
}

export const fuzzTarget: FuzzTarget = {
  outcomes: ['refused', 'plain', 'upgrade'],
  longest: 600,
  seeds: [
    'GET /api/events?limit=5 HTTP/1.1\nHost: nvr.test\nAccept: */*\nCookie: frigate_token=x; a=b',
    'POST /api/login HTTP/1.1\nHost: nvr.test:8971\nContent-Type: application/json\nContent-Length: 12\nExpect: 100-continue',
    'PUT /api/x HTTP/1.1\nHost: [::1]\nTransfer-Encoding: chunked\nConnection: close, Remote-Role',
    'GET /ws HTTP/1.1\nHost: nvr\nConnection: keep-alive, Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'GET / HTTP/1.0\nRemote-User: admin\nX-Forwarded-For: 10.0.0.1\nX-Original-URL: /api/users\nAuthorization: Bearer x',
  ],
  words: [
    'Remote_Role: admin\n',
    'Content-Length: 0\n',
    'Transfer-Encoding: chunked\n',
    'Host: x\n',
    '\nUpgrade: ',
    'remote-role',
    'HTTP/1.1\n',
  ],
  judge(input) {
    const { behind, names, ...head } = readHead(input.toString('latin1'));
    const isUpgrade = names.includes('upgrade') && /websocket/i.test(head.rawHeaders.join());
    const request = someRequest({ ...head, isUpgrade, pipelinedBytes: behind.length });
    const verdict = strictTarget(request);
    if (!verdict.ok) return 'refused';
    const times = (name: string): number => names.filter((one) => one === name).length;
    for (const once of ['host', 'content-length', 'transfer-encoding', 'expect', 'origin', 'upgrade'])
      assert.ok(times(once) <= 1, `${once} came ${times(once)} times`);
    assert.ok(times('content-length') + times('transfer-encoding') <= 1, 'two framings');
    assert.ok(
      names.every((name) => /^[a-z0-9-]+$/.test(name)),
      'a name that servers read in two ways',
    );
    if (isUpgrade) assert.equal(behind, '');

    const sent = rewriteHeaders(request, { caller: CALLER, client: CLIENT, requestId: 'r1' }, RULES);
    for (const [name, value] of Object.entries(sent)) {
      const read = asRead(name);
      if (read === 'remote-user') assert.equal(value, 'vera');
      else if (read === 'remote-role' || read === 'remote-groups') assert.equal(value, 'viewer');
      else if (read === 'x-proxy-secret') assert.equal(value, 'of-the-nvr');
      else if (read === 'x-forwarded-for' || read === 'x-real-ip') assert.equal(value, '192.0.2.9');
      else
        assert.doesNotMatch(
          read,
          /^(?:remote-|x-original-|x-auth-request-|x-forwarded-(?!proto|host)|x-accel-|forwarded$|te$|trailer$|keep-alive$|http2-settings$|tailscale-)/,
        );
      if (read === 'authorization')
        assert.ok(times(read) === 1 || !/^bearer/i.test(String(value)), 'one of two credentials');
      if (read === 'cookie') assert.doesNotMatch(String(value), /(?:^|;)\s*frigate_token\s*=/);
      if (read === 'connection' || read === 'upgrade') assert.ok(isUpgrade, `${name} is of one connection`);
    }
    assert.equal(sent['remote-user'], 'vera');
    assert.equal(sent['remote-role'], 'viewer');
    const isFramed = Number(sent['content-length'] !== undefined) + Number(sent['transfer-encoding'] !== undefined);
    assert.ok(
      isFramed <= 1 && (isFramed === 1 || !['POST', 'PUT', 'PATCH'].includes(head.method)),
      'framing of what is sent',
    );
    return isUpgrade ? 'upgrade' : 'plain';
  },
};
