/** The certificate that a first start makes (SPEC 1, `tls`): good for the names of the machine, and accepted by a client. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeSelfSigned } from '../../../src/gateway/certificates/certificates.ts';
import { startInstance } from '../../support/start-instance.ts';

const DAY_MS = 86_400_000;

describe('A self-signed certificate', () => {
  it('holds names and addresses, is valid from yesterday for 825 days, and fits its key', async () => {
    const now = Date.UTC(2030, 0, 1);
    const { certificate, privateKey } = await makeSelfSigned({ names: ['nvr.lan', '192.168.1.5', 'fd00::5'], now });
    const read = new X509Certificate(certificate);
    assert.equal(read.subjectAltName, 'DNS:nvr.lan, IP Address:192.168.1.5, IP Address:FD00:0:0:0:0:0:0:5');
    assert.deepEqual([read.validFromDate.getTime(), read.validToDate.getTime()], [now - DAY_MS, now + 825 * DAY_MS]);
    assert.deepEqual(
      [read.ca, read.checkPrivateKey((await import('node:crypto')).createPrivateKey(privateKey))],
      [false, true],
    );
  });

  it('is made at the first start, kept for the next one, and only its owner may read its key', async () => {
    const instance = await startInstance({ config: { tls: { enabled: true } } });
    const files = ['fullchain.pem', 'privkey.pem'].map((name) => join(instance.directory, 'tls', name));
    const [ca, key] = files.map((file) => readFileSync(file, 'utf8'));
    assert.equal(statSync(files[1] ?? '').mode & 0o777, 0o600);
    const request = get({ host: 'localhost', port: instance.port, path: '/api/profile', ca });
    const [answer] = await once(request, 'response');
    assert.equal(answer.statusCode, 401);
    answer.destroy();
    await instance.postern.close();

    const again = await startInstance({
      config: { tls: { enabled: true } },
      directory: instance.directory,
      people: [],
    });
    assert.deepEqual(
      files.map((file) => readFileSync(file, 'utf8')),
      [ca, key],
    );
    await again.close();
    await instance.close();
  });
});
