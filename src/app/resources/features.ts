/** The features: what the core is given of them, and how they are opened in the order of their list and closed in the reverse order. */
import { subtracting } from '../../access/camera-view.ts';
import { NO_PROVIDERS, type Providers } from '../../accounts/login/reauthenticate.ts';
import { createSchema, type Schema, type Settings } from '../../config/schema/schema.ts';
import type { ServiceMessage } from '../../domain/accounts/notice.ts';
import type { Clock } from '../../domain/clock.ts';
import { FEATURES } from '../../features/all.ts';
import type {
  ActiveFeature,
  AuditedAct,
  CommandServices,
  Feature,
  FeatureIdentities,
  FeatureParts,
  FeatureRules,
  FeatureServices,
  IdentityRules,
  Messages,
  OpenFeature,
  OpenForCommand,
} from '../../features/feature.ts';
import type { BoundRoute } from '../../routes/own-route.ts';
import type { Services } from '../services.ts';

export type Features = ReturnType<typeof createFeatures>;

/** What the features have beside their commands. */
export const loadFeatures = (list: readonly Feature[] = FEATURES): Promise<readonly FeatureParts[]> =>
  Promise.all(list.map(async ({ load }) => (await load?.()) ?? {}));

/** What API tokens may be made for alone. */
export const tokenRightsIn = (list: readonly Feature[] = FEATURES): readonly string[] =>
  list.filter(({ tokenRight }) => tokenRight).map(({ name }) => name);

/** The configuration with the keys of these features. */
export async function schemaWith(list?: readonly Feature[]): Promise<Schema> {
  const features = await loadFeatures(list);
  const joinedKeys = <Keys extends object>(each: (feature: FeatureParts) => Keys | undefined): Keys =>
    Object.assign({}, ...features.map(each));
  const rules = features.flatMap((feature) => feature.rules ?? []);
  return createSchema(
    joinedKeys(({ keys }) => keys),
    joinedKeys(({ authKeys }) => authKeys),
    rules,
    joinedKeys(({ removedKeys }) => removedKeys),
  );
}

let schema: Promise<Schema> | undefined;

/** The configuration with the keys of all features. */
export const configSchema = (): Promise<Schema> => {
  schema ??= schemaWith();
  return schema;
};

/** Declares the metrics of the features. Until they are opened they have no part in anything. */
export function createFeatures(features: readonly FeatureParts[], settings: Settings, clock: Clock) {
  const declared = features.map(({ metrics }) => metrics?.(settings) ?? {});
  const opened: OpenFeature[] = [];
  return {
    ...joined(opened, clock),
    async open(services: Omit<FeatureServices, 'messages'>): Promise<void> {
      const all = { ...services, messages: createMessages() };
      for (const [at, { open }] of features.entries()) opened.push((await open?.(all, declared[at] ?? {})) ?? {});
    },
    families: declared.flatMap((metrics) => Object.values(metrics)),
    async recorded(): Promise<void> {
      for (const { recorded } of opened) await recorded?.();
    },
    under: (rules: FeatureRules): readonly ActiveFeature[] => opened.flatMap(({ under }) => under?.(rules) ?? []),
    started: (config: FeatureRules['config']): void => {
      for (const { started } of opened) started?.(config);
    },
    warnings: (): readonly string[] => opened.flatMap(({ warnings }) => warnings?.() ?? []),
    providers: (active: Settings): Providers =>
      opened.map((one) => one.providers?.(active)).find((one) => one !== undefined) ?? NO_PROVIDERS,
    faults: faultsIn(features),
  };
}

/** What keeps the features from working with other servers, a sentence each. */
export const faultsIn =
  (features: readonly FeatureParts[]) =>
  async (settings: Settings, clock: Clock): Promise<readonly string[]> =>
    (await Promise.all(features.map((one) => one.faults?.(settings, clock) ?? []))).flat();

/** The features in a command that opens the store. */
export async function openFeaturesForCommand(services: Omit<CommandServices, 'messages'>) {
  const all = { ...services, messages: createMessages() };
  const opened: OpenForCommand[] = [];
  for (const { openForCommand } of await loadFeatures()) opened.push((await openForCommand?.(all)) ?? {});
  return {
    ...joined(opened, services.clock),
    routes: (services: Services): readonly BoundRoute[] => opened.flatMap(({ routes }) => routes?.(services) ?? []),
  };
}

/** What a service and a command need of the features alike. */
const joined = (
  opened: readonly Pick<OpenFeature, 'note' | 'identities' | 'subtraction' | 'close'>[],
  clock: Clock,
) => ({
  note(act: AuditedAct): void {
    for (const { note } of opened) note?.(act);
  },
  subtract: subtracting(opened, clock),
  identities: (rules: IdentityRules): readonly FeatureIdentities[] =>
    opened.flatMap(({ identities }) => identities?.(rules) ?? []),
  async close(): Promise<void> {
    for (const { close } of opened.toReversed()) await close?.();
  },
});

function createMessages(): Messages {
  const uses: ((message: ServiceMessage) => void)[] = [];
  return {
    onMessage: (deliver) => void uses.push(deliver),
    send(message) {
      for (const deliver of uses) deliver(message);
    },
  };
}
