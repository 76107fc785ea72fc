import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientKey } from '../../src/domain/addresses.ts';

describe('The login limiter takes for one client', () => {
  const rows: [sentence: string, address: string, key: string][] = [
    ['an IPv4 address', '203.0.113.9', '203.0.113.9'],
    ['an IPv4 address mapped into IPv6 (G10)', '::ffff:203.0.113.9', '203.0.113.9'],
    ['the same in hex', '::ffff:cb00:7109', '203.0.113.9'],
    ['the same in full', '0:0:0:0:0:FFFF:cb00:7109', '203.0.113.9'],
    ['a /64 of IPv6 (G11)', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['a /64 however it is written', '2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['a /64 with zeros in it', '2001:db8::1', '2001:db8:0:0::/64'],
    ['the loopback of IPv6', '::1', '0:0:0:0::/64'],
    ['a link-local address without its zone (G09)', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['an address that only ends in IPv4', '64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
  ];
  for (const [sentence, address, key] of rows) it(sentence, () => assert.equal(clientKey(address), key));
});
