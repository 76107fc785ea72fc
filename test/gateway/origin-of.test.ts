/** The address of an upstream in text is the same everywhere: in pools, in WebSocket addresses and in what explain prints. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Upstream, upstreamOrigin } from '../../src/domain/addresses.ts';

// biome-ignore format: a table
const rows: [upstream: Upstream, origin: string][] = [
  [{ kind: 'tcp', protocol: 'http:', host: 'nvr', port: 5000 },        'http://nvr:5000'],
  [{ kind: 'tcp', protocol: 'https:', host: '192.0.2.1', port: 8971 }, 'https://192.0.2.1:8971'],
  [{ kind: 'tcp', protocol: 'http:', host: '::1', port: 5999 },        'http://[::1]:5999'],
  [{ kind: 'unix', path: '/run/nvr.sock' },                            'unix:/run/nvr.sock'],
];
for (const [upstream, origin] of rows) it(origin, () => assert.equal(upstreamOrigin(upstream), origin));
