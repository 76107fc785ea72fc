/**
 * The fields of the Kubernetes API that deploy/kubernetes uses, as its reference has them, and no others: a key that is
 * misspelt is found here, as the API server's strict validation finds it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { ROOT } from './compose.ts';

/** RFC 1123, as names of objects must be. */
const name = z.string().regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/);
const labels = z.record(z.string(), z.string());
const selector = z.strictObject({ matchLabels: labels });
const metadata = z.strictObject({ name, labels: labels.optional() });
const port = z.union([name, z.int().min(1).max(65_535)]);
const quantity = z.string().regex(/^\d+(?:m|[KMG]i)?$/);

const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/'), port }),
  periodSeconds: z.int().min(1),
  timeoutSeconds: z.int().min(1).optional(),
  failureThreshold: z.int().min(1),
});
const container = z.strictObject({
  name,
  image: z.string(),
  envFrom: z.array(z.strictObject({ configMapRef: z.strictObject({ name }) })),
  env: z.array(
    z.strictObject({
      name: z.string(),
      valueFrom: z.strictObject({ secretKeyRef: z.strictObject({ name, key: z.string() }) }),
    }),
  ),
  ports: z.array(z.strictObject({ name, containerPort: z.int() })),
  startupProbe: probe,
  readinessProbe: probe,
  livenessProbe: probe,
  lifecycle: z.strictObject({ preStop: z.strictObject({ sleep: z.strictObject({ seconds: z.int().min(1) }) }) }),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: quantity, memory: quantity }),
    limits: z.strictObject({ memory: quantity }),
  }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(
    z.strictObject({ name, mountPath: z.string().startsWith('/'), readOnly: z.boolean().optional() }),
  ),
});
const pod = z.strictObject({
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  terminationGracePeriodSeconds: z.int(),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int().min(1),
    runAsGroup: z.int().min(1),
    fsGroup: z.int().min(1),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  topologySpreadConstraints: z.array(
    z.strictObject({
      maxSkew: z.int().min(1),
      topologyKey: z.string(),
      whenUnsatisfiable: z.enum(['ScheduleAnyway', 'DoNotSchedule']),
      labelSelector: selector,
    }),
  ),
  containers: z.tuple([container]),
  volumes: z.array(
    z.strictObject({
      name,
      emptyDir: z.strictObject({ medium: z.literal('Memory').optional(), sizeLimit: quantity.optional() }).optional(),
      secret: z.strictObject({ secretName: name, defaultMode: z.int().max(0o777) }).optional(),
    }),
  ),
});
const peer = z.strictObject({ namespaceSelector: selector });
const ports = z.array(z.strictObject({ port, protocol: z.enum(['TCP', 'UDP']) }));

const deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata,
  spec: z.strictObject({
    replicas: z.int().min(2),
    strategy: z.strictObject({
      type: z.literal('RollingUpdate'),
      rollingUpdate: z.strictObject({ maxSurge: z.int(), maxUnavailable: z.int() }),
    }),
    selector,
    template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
  }),
});

const objectOf = z.discriminatedUnion('kind', [
  deployment,
  z.strictObject({ apiVersion: z.literal('v1'), kind: z.literal('Namespace'), metadata }),
  z.strictObject({ apiVersion: z.literal('v1'), kind: z.literal('ConfigMap'), metadata, data: labels }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Secret'),
    metadata,
    type: z.literal('Opaque'),
    stringData: labels,
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Service'),
    metadata,
    spec: z.strictObject({
      type: z.literal('ClusterIP'),
      selector: labels,
      ports: z.array(z.strictObject({ name, port: z.int(), targetPort: port })),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('policy/v1'),
    kind: z.literal('PodDisruptionBudget'),
    metadata,
    spec: z.strictObject({ minAvailable: z.int().min(1), selector }),
  }),
  z.strictObject({
    apiVersion: z.literal('networking.k8s.io/v1'),
    kind: z.literal('NetworkPolicy'),
    metadata,
    spec: z.strictObject({
      podSelector: selector,
      policyTypes: z.tuple([z.literal('Ingress'), z.literal('Egress')]),
      ingress: z.array(z.strictObject({ from: z.array(peer), ports })),
      egress: z.array(z.strictObject({ to: z.array(peer), ports })),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
    kind: z.literal('Kustomization'),
    namespace: name,
    resources: z.array(z.string()),
  }),
]);
export type KubernetesObject = z.infer<typeof objectOf>;
export type ObjectOf<Kind extends KubernetesObject['kind']> = Extract<KubernetesObject, { kind: Kind }>;

const DIRECTORY = join(ROOT, 'deploy/kubernetes');
export const FILES = readdirSync(DIRECTORY).filter((file) => file.endsWith('.yaml'));

/** Kubernetes reads YAML 1.1: `0440` is octal there, and `no` is false. Throws with the path of what is wrong. */
export const readObjects = (file: string): readonly KubernetesObject[] =>
  parseAllDocuments(readFileSync(join(DIRECTORY, file), 'utf8'), { version: '1.1', uniqueKeys: true }).map(
    (document) => {
      const [fault] = document.errors;
      if (fault) throw fault;
      return objectOf.parse(document.toJS());
    },
  );
