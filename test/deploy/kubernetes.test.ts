/** deploy/kubernetes: objects as the API has them, hardened, that fit together, with settings that Postern takes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newDirectory, runPostern } from '../support/run-postern.ts';
import { FILES, type KubernetesObject, type ObjectOf, readObjects } from './support/kubernetes.ts';

/** kubernetes-validate (PyPI), which has the schemas of the Kubernetes API; elsewhere than on the PATH in CI. */
const VALIDATOR = process.env['KUBERNETES_VALIDATE'] ?? 'kubernetes-validate';
const withoutSchemas = spawnSync(VALIDATOR, ['--version'], { stdio: 'ignore' }).error
  ? `${VALIDATOR} is not installed`
  : false;
const FOLDER = join(import.meta.dirname, '../../deploy/kubernetes');

const objects = FILES.flatMap(readObjects);
const only = <Kind extends KubernetesObject['kind']>(kind: Kind): ObjectOf<Kind> =>
  (objects.find((object) => object.kind === kind) as ObjectOf<Kind> | undefined) ?? assert.fail(kind);

describe('deploy/kubernetes', () => {
  const { replicas, selector, template } = only('Deployment').spec;
  const [postern] = template.spec.containers;

  it('applies every file that is there', () =>
    assert.deepEqual(
      [...only('Kustomization').resources].sort(),
      FILES.filter((file) => file !== 'kustomization.yaml').sort(),
    ));

  it('asks for the strictest standard for pods, which the fields below keep', () =>
    assert.equal(only('Namespace').metadata.labels?.['pod-security.kubernetes.io/enforce'], 'restricted'));

  it('selects the same pods everywhere', () => {
    const { matchLabels } = selector;
    assert.deepEqual(template.metadata.labels, matchLabels);
    assert.deepEqual(only('Service').spec.selector, matchLabels);
    assert.deepEqual(only('PodDisruptionBudget').spec.selector, selector);
    assert.deepEqual(only('NetworkPolicy').spec.podSelector, selector);
  });

  it('lets a drain of nodes leave one', () => assert.ok(only('PodDisruptionBudget').spec.minAvailable < replicas));

  it('names ports, volumes, settings and keys that are there', () => {
    const names = new Set(postern.ports.map(({ name }) => name));
    const { spec } = only('NetworkPolicy');
    const used = [
      ...only('Service').spec.ports.map(({ targetPort }) => targetPort),
      ...[postern.startupProbe, postern.readinessProbe, postern.livenessProbe].map(({ httpGet }) => httpGet.port),
      ...spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port)),
    ];
    for (const port of used) assert.ok(names.has(String(port)), String(port));
    const volumes = template.spec.volumes.map(({ name }) => name);
    assert.deepEqual(
      postern.volumeMounts.map(({ name }) => name),
      volumes,
    );
    for (const { configMapRef } of postern.envFrom) assert.equal(configMapRef.name, only('ConfigMap').metadata.name);
    for (const { valueFrom } of postern.env) {
      assert.equal(valueFrom.secretKeyRef.name, only('Secret').metadata.name);
      assert.ok(valueFrom.secretKeyRef.key in only('Secret').stringData);
    }
  });

  it('shows no pod the internal listener, and gives scrapes no way to the others', () => {
    assert.equal(only('ConfigMap').data['POSTERN__SERVER__INTERNAL'], 'false');
    assert.deepEqual(
      only('Service').spec.ports.map(({ targetPort }) => targetPort),
      ['http'],
    );
  });

  it('passes "postern check" without a problem or a warning', async () => {
    const directory = newDirectory();
    const secrets = join(directory, 'secrets');
    mkdirSync(secrets);
    const { data } = only('ConfigMap');
    const { mountPath } = postern.volumeMounts.find(({ name }) => name === 'secrets') ?? assert.fail();
    for (const [key, text] of Object.entries(only('Secret').stringData))
      writeFileSync(join(secrets, key), text.replaceAll('<password>', 'p%40ss').replaceAll(mountPath, secrets), {
        mode: 0o600,
      });
    const here = Object.entries(data).map(([name, value]) => [name, value.replace(mountPath, secrets)]);
    const env = { ...Object.fromEntries(here), SERVICE_JWT_SECRET: 'd41f0a6c5b7e3829'.repeat(4) };
    const { code, stdout, stderr } = await runPostern(['check'], { directory, env });
    assert.deepEqual([code, stderr], [0, ''], stdout);
    // Its PostgreSQL is on another machine, for which a start waits.
    assert.doesNotMatch(stdout, /^warning: (?!.*store\.url: PostgreSQL: )/m);
  });

  it('is what the schemas of Kubernetes 1.30 take, with no key that they do not know', { skip: withoutSchemas }, () => {
    const files = FILES.filter((file) => !file.endsWith('kustomization.yaml'));
    const words = ['--strict', '-k', '1.30', ...files];
    const { status, stdout, stderr } = spawnSync(VALIDATOR, words, { cwd: FOLDER, encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    assert.equal(stdout.match(/ passed for resource /g)?.length, files.length, stdout);
  });
});
