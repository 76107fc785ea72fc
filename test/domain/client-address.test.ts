/** Step 2: whose request it is, behind trusted proxies (interface 5.4, SPEC 4.5). */
import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { clientAddress, createTrustedNetworks, foldAddress, type TrustedNetworks } from '../../src/domain/addresses.ts';

function networks(...cidrs: string[]): TrustedNetworks {
  const built = createTrustedNetworks(cidrs);
  return built.ok ? built.value : assert.fail(built.error);
}

const PROXY = '10.0.0.1';
const TRUSTED = networks('10.0.0.0/8', '192.0.2.7', 'fd00::/8');
const NOBODY = networks();

describe('The client address', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, peer: string, lines: string[], expected: string, trusted?: TrustedNetworks][] = [
    ['is the peer when no proxy is trusted',                     PROXY,               ['203.0.113.5'],                          PROXY, NOBODY],
    ['is the peer when the peer is not trusted',                 '198.51.100.1',      ['203.0.113.5'],                          '198.51.100.1'],
    ['is the peer when nothing was forwarded',                   PROXY,               [],                                       PROXY],
    ['is the peer when the header is empty',                     PROXY,               [''],                                     PROXY],
    ['is what the trusted peer reports',                         PROXY,               ['203.0.113.5'],                          '203.0.113.5'],
    ['ignores what the client wrote to the left',                PROXY,               ['1.2.3.4, 203.0.113.5'],                 '203.0.113.5'],
    ['steps over every trusted hop',                             PROXY,               ['203.0.113.5, 10.9.9.9, 192.0.2.7'],     '203.0.113.5'],
    ['stops at the first hop that is not trusted',               PROXY,               ['203.0.113.5, 192.0.2.8, 10.9.9.9'],     '192.0.2.8'],
    ['is the furthest hop when all are trusted',                 PROXY,               ['10.1.1.1, 10.2.2.2'],                   '10.1.1.1'],
    ['joins several lines in their order',                       PROXY,               ['1.2.3.4', '203.0.113.5', '10.3.3.3'],   '203.0.113.5'],
    ['skips empty entries',                                      PROXY,               [' , 203.0.113.5 ,, '],                   '203.0.113.5'],
    ['ends at an entry that is no address',                      PROXY,               ['203.0.113.5, unknown'],                 PROXY],
    ['ends at nonsense behind a trusted hop',                    PROXY,               ['203.0.113.5, unknown, 10.0.0.9'],       '10.0.0.9'],
    ['ends at an address in octal',                              PROXY,               ['203.0.113.5, 010.1.1.1'],               PROXY],
    ['ends at an address in hexadecimal',                        PROXY,               ['203.0.113.5, 0x7f.1'],                  PROXY],
    ['ends at a network',                                        PROXY,               ['203.0.113.5, 10.0.0.0/8'],              PROXY],
    ['ends at an obfuscated name',                               PROXY,               ['_hidden'],                              PROXY],
    ['ends at a quoted address',                                 PROXY,               ['"203.0.113.5"'],                        PROXY],
    ['ends at an address with other text before it',             PROXY,               ['unknown203.0.113.5'],                   PROXY],
    ['cuts a port from IPv4',                                    PROXY,               ['203.0.113.5:51234'],                    '203.0.113.5'],
    ['cuts brackets from IPv6',                                  PROXY,               ['[2001:db8::1]'],                        '2001:db8::1'],
    ['cuts brackets and port from IPv6',                         PROXY,               ['[2001:db8::1]:443'],                    '2001:db8::1'],
    ['cuts a zone',                                              PROXY,               ['fe80::1%eth0'],                         'fe80::1'],
    ['cuts a zone within brackets',                              PROXY,               ['[fe80::1%wlan0.1]:443'],                'fe80::1'],
    ['shortens IPv6',                                            PROXY,               ['2001:0DB8:0:0:0:0:0:1'],                '2001:db8::1'],
    ['folds mapped IPv4 in dots',                                PROXY,               ['::ffff:203.0.113.5'],                   '203.0.113.5'],
    ['folds mapped IPv4 in hexadecimal',                         PROXY,               ['::FFFF:cb00:7105'],                     '203.0.113.5'],
    ['folds mapped IPv4 in full length',                         PROXY,               ['0:0:0:0:0:ffff:cb00:7105'],             '203.0.113.5'],
    ['trusts a hop in mapped form',                              PROXY,               ['203.0.113.5, ::ffff:10.5.5.5'],         '203.0.113.5'],
    ['trusts a peer in mapped form',                             '::ffff:10.0.0.1',   ['203.0.113.5'],                          '203.0.113.5'],
    ['folds a peer that is not trusted',                         '::ffff:198.51.100.1', ['203.0.113.5'],                        '198.51.100.1'],
    ['trusts an IPv6 peer by its network',                       'fd12::1',           ['203.0.113.5'],                          '203.0.113.5'],
    ['trusts an IPv6 peer with a zone',                          'fd12::1%eth0',      ['203.0.113.5'],                          '203.0.113.5'],
    ['does not take IPv4 for a part of ::/0',                    PROXY,               ['203.0.113.5'],                          PROXY, networks('::/0')],
    ['does not take IPv6 for a part of 0.0.0.0/0',               'fd12::1',           ['203.0.113.5'],                          'fd12::1', networks('0.0.0.0/0')],
    ['reads a mapped network as IPv4',                           PROXY,               ['203.0.113.5'],                          '203.0.113.5', networks('::ffff:10.0.0.0/104')],
    ['ignores host bits of a network',                           PROXY,               ['203.0.113.5'],                          '203.0.113.5', networks('10.0.0.77/24')],
    ['is an unnamed peer as it is',                              '',                  ['203.0.113.5'],                          ''],
    ['walks twenty hops and no more',                            PROXY,               [`203.0.113.5, 10.9.9.9${', 10.0.0.2'.repeat(19)}`], '10.9.9.9'],
  ];
  for (const [sentence, peer, lines, expected, trusted] of rows) {
    it(sentence, () => assert.equal(clientAddress(peer, lines, trusted ?? TRUSTED), expected));
  }

  it('never throws, and is the peer or an address, whatever was forwarded', () => {
    const entry = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('unknown', '[::1', '1.2.3.4:x', '%', ''));
    const lines = fc.array(fc.array(entry).map((entries) => entries.join(',')));
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), lines, (peer, forwarded) => {
        const found = clientAddress(peer, forwarded, networks('0.0.0.0/0', '::/0'));
        assert.ok(isIP(found) > 0, found);
      }),
    );
  });

  it('cannot be moved by what an untrusted peer writes', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.array(fc.string()), (peer, forwarded) => {
        assert.equal(clientAddress(peer, forwarded, NOBODY), peer);
      }),
    );
  });
});

describe('One client', () => {
  it('has one spelling: folding again changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const folded = foldAddress(address) ?? assert.fail(address);
        assert.equal(foldAddress(folded), folded);
        assert.equal(foldAddress(isIP(address) === 6 ? `[${address}]:443` : `${address}:443`), folded);
      }),
    );
  });
});

describe('A trusted peer', () => {
  // biome-ignore format: a table
  const rows: [peer: string, expected: boolean][] = [
    ['10.255.0.1', true], ['::ffff:10.1.1.1', true], ['192.0.2.7', true], ['192.0.2.8', false],
    ['fd00::1', true], ['fe80::1', false], ['11.0.0.1', false], ['', false], ['10.0.0.1.evil', false],
  ];
  for (const [peer, expected] of rows) {
    it(`${peer || 'without an address'}: ${expected}`, () => assert.equal(TRUSTED.includes(peer), expected));
  }
});

describe('A list of trusted networks', () => {
  it('ends where the prefix ends, for each family and for IPv4 written as IPv6', () => {
    const listed = networks('::ffff:10.0.0.0/104', 'fd00:1:2:3::/64');
    const inside = ['10.255.255.255', 'fd00:1:2:3:ffff::1'];
    assert.deepEqual(
      [...inside, '11.0.0.1', 'fd00:1:2:4::1'].filter((peer) => listed.includes(peer)),
      inside,
    );
  });

  // biome-ignore format: a table
  const bad = ['10.0.0.0/33', 'fd00::/129', '10.0.0/8', 'localhost', '', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', 'fe80::1%eth0/64', '010.0.0.0/8', '::ffff:10.0.0.0/8', '[::1]/128', '10.0.0.1:80'];
  for (const cidr of bad) {
    it(`refuses "${cidr}" with a sentence that names it`, () => {
      assert.deepEqual(createTrustedNetworks(['10.0.0.0/8', cidr]), {
        ok: false,
        error: `"${cidr}" is not a network: write an address and its prefix, such as 10.0.0.0/8 or fd00::/8`,
      });
    });
  }

  it('names every bad entry at once', () => {
    const built = createTrustedNetworks(['x', '10.0.0.0/8', 'y']);
    assert.match(built.ok ? '' : built.error, /^"x", "y" is not a network/);
  });
});
