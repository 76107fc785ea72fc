/** The lines of the page Security are a configuration that Postern takes, and the variables say the same (SPEC 1, 12). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadServiceConfig } from '../../../src/config/service-config.ts';
import { fileLines, variableLines } from '../../../src/ui/pages/settings/security/security-lines.ts';

const CHOICE = { second_factor: 'admins', timezone: ' Europe/Berlin', public_url: 'https://nvr.example.com ' };

describe('The lines of the page Security', () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-lines-'));
  after(() => rmSync(directory, { recursive: true }));

  const taken = async (text: string, env: Record<string, string> = {}) => {
    writeFileSync(join(directory, 'config.yaml'), text);
    const config = await loadServiceConfig({ directory, env, whenMissing: 'refuse' });
    if (config.kind === 'invalid') assert.fail(JSON.stringify(config.problems));
    const { auth, server } = config.settings;
    return [auth.second_factor, auth.timezone, JSON.stringify(server.public_url)];
  };

  it('are taken from the file, and as variables, alike', async () => {
    const variables = variableLines(CHOICE)
      .split('\n')
      .map((line) => line.split('=') as [string, string]);
    assert.deepEqual(await taken(fileLines(CHOICE)), await taken('{}', Object.fromEntries(variables)));
    const [factor, zone] = await taken(fileLines(CHOICE));
    assert.deepEqual([factor, zone], ['admins', 'Europe/Berlin']);
  });

  it('name no key that was left empty, and write whatever was typed as one text', () => {
    assert.equal(fileLines({ ...CHOICE, timezone: '', public_url: '' }), 'auth:\n  second_factor: "admins"');
    const odd = fileLines({ second_factor: '', timezone: '', public_url: 'x"\n# auth: y' });
    assert.equal(odd, 'server:\n  public_url: "x\\"\\n# auth: y"');
  });
});
