/** The features: what the core is given of them, and how they are opened in the order of their list and closed in the reverse order. */
import { createSchema, type Schema } from '../../config/schema/schema.ts';
import type { ServiceMessage } from '../../domain/accounts/notice.ts';
import { FEATURES } from '../../features/all.ts';
import type {
  ActiveFeature,
  AuditedAct,
  CommandServices,
  Feature,
  FeatureParts,
  FeatureRules,
  FeatureServices,
  Messages,
} from '../../features/feature.ts';

export type OpenFeatures = ReturnType<typeof openFeatures>;

/** What the features have beside their commands. */
export const loadFeatures = (list: readonly Feature[] = FEATURES): Promise<readonly FeatureParts[]> =>
  Promise.all(list.map(async ({ load }) => (await load?.()) ?? {}));

/** The configuration with the keys of these features. */
export const schemaWith = async (list?: readonly Feature[]): Promise<Schema> =>
  createSchema(Object.assign({}, ...(await loadFeatures(list)).map(({ keys }) => keys)));

let schema: Promise<Schema> | undefined;

/** The configuration with the keys of all features. */
export const configSchema = (): Promise<Schema> => {
  schema ??= schemaWith();
  return schema;
};

/** Declares the metrics of the features, and opens them. */
export function openFeatures(features: readonly FeatureParts[], services: Omit<FeatureServices, 'messages'>) {
  const all = { ...services, messages: createMessages() };
  const declared = features.map(({ metrics }) => metrics?.() ?? {});
  const opened = features.flatMap((feature, at) => feature.open?.(all, declared[at] ?? {}) ?? []);
  return {
    families: declared.flatMap((metrics) => Object.values(metrics)),
    note(act: AuditedAct): void {
      for (const { note } of opened) note?.(act);
    },
    async recorded(): Promise<void> {
      for (const { recorded } of opened) await recorded?.();
    },
    under: (rules: FeatureRules): readonly ActiveFeature[] => opened.flatMap(({ under }) => under?.(rules) ?? []),
    started: (config: FeatureRules['config']): void => {
      for (const { started } of opened) started?.(config);
    },
    warnings: (): readonly string[] => opened.flatMap(({ warnings }) => warnings?.() ?? []),
    async close(): Promise<void> {
      for (const { close } of opened.toReversed()) await close?.();
    },
  };
}

/** The features in a command that opens the store. */
export async function openFeaturesForCommand(services: Omit<CommandServices, 'messages'>) {
  const all = { ...services, messages: createMessages() };
  const opened = (await loadFeatures()).flatMap((feature) => feature.openForCommand?.(all) ?? []);
  return {
    note(act: AuditedAct): void {
      for (const { note } of opened) note?.(act);
    },
    async close(): Promise<void> {
      for (const { close } of opened.toReversed()) await close?.();
    },
  };
}

function createMessages(): Messages {
  const uses: ((message: ServiceMessage) => void)[] = [];
  return {
    onMessage: (deliver) => void uses.push(deliver),
    send(message) {
      for (const deliver of uses) deliver(message);
    },
  };
}
