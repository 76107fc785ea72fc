/** The walk behind a drawn curtain: no operation, Postern's own or the NVR's, shows the camera to a caller for whom it is drawn (SPEC 19). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Asked,
  asked,
  askedOfAll,
  nameOf,
  neutralPaths,
  type Operation,
  own,
  readOperations,
} from '../../policy/support/rows.ts';
import { BEDROOM, FOREIGN } from '../../policy/support/two-cameras.ts';
import { type Answered, startWalkInstance, type WalkInstance } from '../../policy/support/walk-instance.ts';
import { OWN_OPERATIONS } from '../../support/own-operations.ts';
import { ADMIN_PERSON, type Person } from '../../support/people.ts';
import { pairScreen } from '../../support/screens.ts';
import { sendJson } from '../../support/second-factor.ts';
import { until } from '../../support/until.ts';

/** Ends sessions: what is sent after it would be refused for another reason. */
const OPERATIONS = readOperations().filter((operation) => !nameOf(operation).endsWith('logout'));

/** A camera that the NVR does not have, with things of it that do not exist. */
const NOWHERE: typeof BEDROOM = {
  camera: 'nowhere',
  event: '1700000003.5-nnnnn3',
  export: 'nowhere_nnnnn3',
  stream: 'nowhere_sub',
  case: 'case-nowhere',
};
/** What a refusal says back of the question. */
const withoutNames = (text: string): string =>
  text.replaceAll(/bedroom|nowhere/g, '…').replaceAll(/bbbbb2|nnnnn3/g, '…');

const PAIR: Person = { name: 'paula', role: 'pair', password: 'PaulaPassw0rd!!' };

describe('While the bedroom is drawn, every operation', () => {
  let walk: WalkInstance;
  const callers = new Map<string, Record<string, string>>();
  let link = '';

  before(async () => {
    walk = await startWalkInstance(
      neutralPaths(),
      {
        auth: { roles: { gardener: ['garden'], pair: ['garden', 'bed*'] } },
      },
      [PAIR],
    );
    const { instance } = walk;
    const admin = await instance.logIn(ADMIN_PERSON);
    const viewer = walk.tokens.viewer ?? '';
    const made = await sendJson(instance, '/api/tokens', { name: 'wall', cameras: ['bedroom', 'garden'] }, viewer);
    const apiToken = (await made.json()) as { token: string };
    const shared = await sendJson(
      instance,
      '/api/links',
      { what: { live: { camera: 'bedroom' } }, expires_in: 3600 },
      admin,
    );
    link = ((await shared.json()) as { url: string }).url;
    callers.set('viewer', bearer(viewer));
    callers.set('custom role', bearer(await instance.logIn(PAIR)));
    callers.set('API token', bearer(apiToken.token));
    const ofOtherRole = await sendJson(instance, '/api/tokens', { name: 'other role', role: 'pair' }, viewer);
    const otherRole = (await ofOtherRole.json()) as { token: string };
    callers.set('API token of another role', bearer(otherRole.token));
    const screen = await pairScreen(instance, admin, { cameras: ['garden', 'bedroom'] });
    callers.set('screen', { cookie: screen.cookie });
    // What people have made and seen before must not name it afterwards.
    for (const token of [viewer, await instance.logIn(PAIR)]) {
      await walk.ask('anonymous', { method: 'GET', target: '/api/bedroom/latest.jpg', body: undefined }, bearer(token));
      await sendJson(instance, '/api/links', { what: { live: { camera: 'bedroom' } }, expires_in: 3600 }, token);
      await sendJson(instance, '/api/tokens', { name: 'narrow', cameras: ['bedroom'] }, token);
      await pairScreen(instance, token, { cameras: ['bedroom', 'garden'] });
    }
    await until('the viewings are in the ledger', async () =>
      (await (await instance.ask('/api/ledger?kind=live', { token: viewer })).text()).includes('bedroom'),
    );
    const drawn = await sendJson(instance, '/api/curtain', { cameras: ['bedroom'] }, admin, 'PUT');
    assert.equal(drawn.status, 200, await drawn.text());
  });
  after(() => walk.close());

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  /** `mayAsk`: of a thing that only the NVR knows the camera of, the answer is read and withheld. */
  const namesNothing = (question: Asked, { status, body, headers, forwarded }: Answered, mayAsk = false): void => {
    const text = withoutItself(body) + JSON.stringify(headers);
    assert.doesNotMatch(text, FOREIGN, `${question.target} tells of it`);
    for (const { target } of forwarded)
      assert.doesNotMatch(mayAsk && status === 403 ? '' : target, FOREIGN, 'the NVR was asked for it');
  };
  /** A refusal says back the name that the request gave; the same is said of a name that is no camera. */
  const withoutItself = (body: string): string => body.replace('Access denied to the camera bedroom.', '');

  // Before the walk: the ledger lists a caller's own refused requests, as they were sent.
  for (const { method, path } of OWN_OPERATIONS.filter(
    ({ method, path }) => method === 'get' && !path.includes('logout'),
  )) {
    it(`${method} ${path} of Postern names it to nobody for whom it is drawn`, async () => {
      for (const headers of callers.values()) {
        const question = { method: 'GET', target: path.replaceAll(/\{\w+\}/g, 'bedroom'), body: undefined };
        if (path.startsWith('/postern') || path.startsWith('/login')) continue;
        namesNothing(question, await walk.ask('anonymous', question, headers));
      }
    });
  }

  it('that shows the garden alone still does, to every caller', async () => {
    const question = { method: 'GET', target: '/api/garden/latest.jpg', body: undefined };
    for (const [caller, headers] of callers)
      assert.equal((await walk.ask('anonymous', question, headers)).status, 200, caller);
  });

  for (const operation of OPERATIONS) {
    it(`${nameOf(operation)} tells nothing of it, and answers as for a camera that does not exist`, async () => {
      for (const [caller, headers] of callers) {
        for (const question of questionsOf(operation))
          namesNothing(question, await walk.ask('anonymous', question, headers), operation.how === 'post-check');
        if (!operation.cam || operation.a === 'public') continue;
        const [drawn, unknown] = [asked(operation, BEDROOM), asked(operation, NOWHERE)];
        if (drawn.target === unknown.target && drawn.body === unknown.body) continue;
        const [one, other] = [
          await walk.ask('anonymous', drawn, headers),
          await walk.ask('anonymous', unknown, headers),
        ];
        assert.deepEqual([one.status, withoutNames(one.body)], [other.status, withoutNames(other.body)], caller);
      }
    });
  }

  it('of a link is over', async () => {
    const secret = link;
    for (const target of [secret, `${secret}/live`, `${secret}/snapshot.jpg`]) {
      const answered = await walk.ask('anonymous', { method: 'GET', target, body: undefined });
      assert.ok(answered.status >= 400, `${target} ${answered.status}`);
      assert.doesNotMatch(answered.body, FOREIGN);
      assert.deepEqual(answered.forwarded, []);
    }
  });

  // Behind the others: it revokes what callers send.
  it('that changes what a person has made names it to nobody for whom it is drawn', async () => {
    for (const [caller, headers] of callers) {
      for (const list of ['/api/screens', '/api/tokens', '/api/links']) {
        const known = await walk.ask('anonymous', { method: 'GET', target: list, body: undefined }, headers);
        const records: unknown = known.status === 200 ? JSON.parse(known.body) : [];
        assert.ok(caller !== 'viewer' || (Array.isArray(records) && records.length > 0) || list === '/api/links', list);
        for (const { id } of records as { id: string }[])
          for (const method of ['PATCH', 'PUT', 'DELETE']) {
            const question = { method, target: `${list}/${id}`, body: '{"name":"other"}' };
            namesNothing(question, await walk.ask('anonymous', question, headers));
          }
      }
    }
  });
});

const questionsOf = (operation: Operation): readonly Asked[] =>
  [asked(operation, BEDROOM), askedOfAll(operation), own(operation)].filter((question) => question !== undefined);
