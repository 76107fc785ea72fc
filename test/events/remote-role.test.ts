/** What the gate says of a caller, as the backend reads it (interface 5.5.4; SPEC 7). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maySee } from '../../src/domain/camera-scope.ts';
import type { Role } from '../../src/domain/names.ts';
import { callerScope } from '../../src/events/caller.ts';

const ROLES = new Map([['guard' as Role, ['front', 'yard_*']]]);
const CAMERAS = ['front', 'back', 'yard_1', 'yard_2', 'é,*'];

describe('Of all cameras, the caller sees', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, headers: Record<string, string>, seen: string[] | undefined][] = [
    ['unknown, without a role',                          { 'remote-user': 'x' },                                          undefined],
    ['unknown, with an empty role',                      { 'remote-role': '' },                                           undefined],
    ['all, as a viewer',                                 { 'remote-role': 'viewer' },                                     CAMERAS],
    ['its own, as a custom role',                        { 'remote-role': 'guard' },                                      ['front', 'yard_1', 'yard_2']],
    ['none, with an undefined role',                     { 'remote-role': 'stranger' },                                   []],
    ['none, as several roles',                           { 'remote-role': 'admin,guard' },                                []],
    ['the cameras that an admin\'s token was narrowed to', { 'remote-role': 'admin', 'remote-cameras': 'back,yard_1' },     ['back', 'yard_1']],
    ['of those, what its role sees',                     { 'remote-role': 'guard', 'remote-cameras': 'back,yard_1' },     ['yard_1']],
    ['none, narrowed to none',                           { 'remote-role': 'admin', 'remote-cameras': '' },                []],
    ['none, narrowed under an undefined role',           { 'remote-role': 'stranger', 'remote-cameras': 'front' },        []],
    ['names as they are: no pattern, no list',           { 'remote-role': 'admin', 'remote-cameras': '*,%C3%A9%2C*' },    ['é,*']],
  ];
  for (const [sentence, headers, seen] of rows) {
    it(sentence, () => {
      const scope = callerScope(headers, ROLES);
      assert.deepEqual(scope && CAMERAS.filter((camera) => maySee(scope, camera)), seen);
    });
  }
});
