/** The switch of docs/curtain.md, as Home Assistant plays them: the requests that its YAML makes, by method, headers and body. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { blocksOf } from '../../guides/support/blocks.ts';
import { ADMIN_PERSON, VERA } from '../../support/people.ts';
import { sendJson } from '../../support/second-factor.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';

type Headers = Readonly<Record<string, string>>;
interface Command {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly content_type: string;
  readonly payload: string;
}
interface Package {
  readonly rest_command: { readonly curtain_draw: Command; readonly curtain_open: Command };
  readonly rest: readonly [
    {
      readonly resource: string;
      readonly headers: Headers;
      readonly binary_sensor: readonly [{ readonly value_template: string }];
    },
  ];
}
describe('The switch for Home Assistant', () => {
  let at: Runtime;
  let secret: string;
  let viewer: string;
  before(async () => {
    at = await startInstance({ config: { nvr: { cameras: ['hall', 'kitchen1', 'garden'] } } });
    const admin = await at.logIn(ADMIN_PERSON);
    viewer = await at.logIn(VERA);
    const made = await sendJson(at, '/api/tokens', { name: 'curtain', rights: ['curtain'] }, admin);
    secret = `Bearer ${((await made.json()) as { token: string }).token}`;
  });
  after(() => at.close());

  const secrets = {
    customTags: [
      { tag: '!secret', resolve: (name: string) => (name === 'postern_curtain' ? secret : assert.fail(name)) },
    ],
  };
  const blockWith = <Tree>(key: string): Tree =>
    blocksOf('docs/curtain.md')
      .filter(({ language }) => language === 'yaml')
      .map(({ body }) => parse(body, secrets) as Tree & object)
      .find((tree) => key in tree) ?? assert.fail(key);
  const sent = (url: string, method: string, headers: Headers, body?: string): Promise<Response> =>
    at.ask(new URL(url).pathname, { method: method.toUpperCase(), headers, ...(body !== undefined && { body }) });
  /** What the templates of the guide ask of the answer: whether a camera is among those that are drawn. */
  const isOn = async (template: string, resource: string, headers: Headers): Promise<boolean> => {
    const asked = /^\{\{ '(?<camera>[^']+)' in value_json\.drawn \| map\(attribute='camera'\) \| list \}\}$/.exec(
      template,
    );
    const answer = (await (await sent(resource, 'get', headers)).json()) as { drawn: { camera: string }[] };
    return answer.drawn.some(({ camera }) => camera === (asked?.groups?.['camera'] ?? assert.fail(template)));
  };
  const seen = async (): Promise<unknown> =>
    ((await (await at.ask('/api/profile', { token: viewer })).json()) as { allowed_cameras: unknown }).allowed_cameras;

  it('by commands: drawn by PUT, opened by DELETE, and told by the sensor', async () => {
    const { rest_command, rest } = blockWith<Package>('rest_command');
    const [{ resource, headers, binary_sensor }] = rest;
    const play = async (command: Command): Promise<boolean> => {
      const type = { ...command.headers, 'Content-Type': command.content_type };
      assert.equal((await sent(command.url, command.method, type, command.payload)).status, 200);
      return isOn(binary_sensor[0].value_template, resource, headers);
    };
    assert.equal(await play(rest_command.curtain_draw), true);
    assert.deepEqual(await seen(), ['garden']);
    assert.equal(await play(rest_command.curtain_open), false);
    assert.deepEqual(await seen(), ['hall', 'kitchen1', 'garden']);
  });
});
