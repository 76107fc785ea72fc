/** JSON bodies: what is judged is what is sent, and what is sent names no foreign camera; forms of our own routes have only what they say. */

import assert from 'node:assert/strict';
import { z } from 'zod';
import { createCameraView } from '../../../src/access/camera-view.ts';
import { judgeBody } from '../../../src/access/judge-body.ts';
import { fieldsIn, GIVEN_TEXT, MAYBE_GIVEN_TEXT, unknownFields } from '../../../src/accounts/http/json-body.ts';
import { Refused } from '../../../src/accounts/http/kernel.ts';
import { scopeOfNames } from '../../../src/domain/camera-scope.ts';
import type { Role } from '../../../src/domain/names.ts';
import { parseTerms, parseThing } from '../../../src/features/links/make-link.ts';
import { readJudgedJson } from '../../../src/gateway/narrow/obligations.ts';
import { FRIGATE, layoutOfConfig } from '../../../src/nvr/frigate/frigate.ts';
import { CONFIG } from '../../policy/support/two-cameras.ts';
import { locatorsOf } from '../../support/routes.ts';
import type { FuzzTarget } from './target.ts';

const VIEW = createCameraView(
  { role: 'gardener' as Role, scope: scopeOfNames(['garden']) },
  { layout: layoutOfConfig(CONFIG), now: 0 },
);
const LOGIN = z.object({ user: GIVEN_TEXT, password: GIVEN_TEXT, remember: MAYBE_GIVEN_TEXT });
const ADMIN_FIELDS = ['export_case_id', 'new_case_name'];
const RULE = {
  locators: locatorsOf('body:items[].camera+file:image:body:items[].image_path+review:body:ids'),
  adminFields: ADMIN_FIELDS,
};

/** The beginning of the pictures that may be named. */
const PICTURE = '/media/frigate/clips/review/thumb-garden-';

const asList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

/** Every key and every text of JSON, as they stand in it. */
function* partsOf(json: unknown): Generator<string> {
  if (typeof json === 'string') yield json;
  if (typeof json !== 'object' || json === null) return;
  for (const [key, value] of Object.entries(json)) {
    if (!Array.isArray(json)) yield key;
    yield* partsOf(value);
  }
}

export const fuzzTarget: FuzzTarget = {
  outcomes: ['body-unreadable', 'camera-not-in-role', 'field-admin-only', 'judged'],
  longest: 400,
  seeds: [
    '{"items":[{"camera":"garden","start_time":1,"image_path":null},{"camera":"bedroom"}]}',
    '{"ids":["1700000001.5-aaaaa1","x"]}',
    '{"items":{"camera":"garden"},"export_case_id":null}',
    '{"items":[{"camera":"garden","camera":"bedroom","image_path":"/media/frigate/clips/garden-1.5-a.jpg"}]}',
    '{"items":[{"camera":"garden","image_path":"/media/frigate/clips/review/thumb-garden-1700000000.5-a.webp"}]}',
    '{"user":"vera","password":"x","remember":null}',
    '{"what":{"recording":{"camera":"garden","from":1,"to":2.5}},"expires_in":60,"uses":1,"pin":"4711"}',
    '\u{feff}{"items":[]}',
    '{"x":[{"new_case_name":1}]}',
  ],
  words: [
    '"camera":"bedroom"',
    '"items":',
    '{"camera":"garden"}',
    '"__proto__":',
    '"export_case_id":1',
    '"ids":',
    '\\u0063',
    '[[[',
    '1e999',
  ],
  judge(input) {
    const json = readJudgedJson(input, undefined);
    if (!json.ok) return json.error;
    const body: unknown = json.value;
    const { items, what, ids } = Object(body);

    const fields = fieldsIn(LOGIN, body);
    if (fields.ok) assert.ok(Object.values(fields.value).every((value) => value === undefined || value.isWellFormed()));
    assert.ok(fields.ok || fields.error.length > 0);
    const extra = unknownFields(LOGIN, body);
    assert.ok(extra.every(({ loc }) => !Object.keys(LOGIN.shape).includes(loc[1] ?? '')));
    const thing = unlessRefused(() => parseThing(what));
    if (thing) assert.doesNotMatch(JSON.stringify(thing), /\*|\.\.\//);
    const terms = unlessRefused(() => parseTerms({ what, uses: Object(body).uses, pin: Object(body).pin }, 3600));
    if (terms) assert.ok(terms.uses === null || (Number.isSafeInteger(terms.uses) && terms.uses > 0));

    const verdict = judgeBody(body, RULE, VIEW, { nvr: FRIGATE });
    if (verdict.kind === 'refused') return verdict.reason;
    const sent = JSON.stringify(verdict.json);
    const read: unknown = JSON.parse(sent);
    // The NVR reads it in an item; under another key it is no member of the request.
    for (const item of asList(Object(read).items))
      assert.match(String(Object(item).image_path ?? PICTURE), new RegExp(`^${PICTURE}`));
    assert.deepEqual(
      judgeBody(read, RULE, VIEW, { nvr: FRIGATE }),
      { ...verdict, json: read },
      'what is sent is judged otherwise',
    );
    for (const item of asList(items)) assert.equal(Object(item).camera, 'garden');
    assert.deepEqual(
      verdict.owners.flatMap((question) => question.ids),
      asList(ids),
    );
    const keys = new Set(partsOf(read));
    for (const field of ADMIN_FIELDS)
      if (keys.has(field))
        assert.doesNotMatch(sent, new RegExp(`"${field}":(?!null|"[^"]*"[\\]}])[^"]`), `${field} is for admins`);
    return 'judged';
  },
};

function unlessRefused<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof Refused) return undefined;
    throw fault;
  }
}
