/** The features of a start: opened in the order of their list, closed in the reverse order. */
import type { ServiceMessage } from '../../domain/accounts/notice.ts';
import { FEATURES } from '../../features/all.ts';
import type {
  ActiveFeature,
  AuditedAct,
  CommandServices,
  FeatureRules,
  FeatureServices,
  Messages,
  OpenFeature,
} from '../../features/feature.ts';

export type OpenFeatures = ReturnType<typeof openFeatures>;

export function openFeatures(list = FEATURES, services: Omit<FeatureServices, 'messages'>) {
  const all = { ...services, messages: createMessages() };
  const opened: readonly OpenFeature[] = list.flatMap(({ open }) => open?.(all) ?? []);
  return {
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
export function openFeaturesForCommand(services: Omit<CommandServices, 'messages'>) {
  const all = { ...services, messages: createMessages() };
  const opened = FEATURES.flatMap(({ openForCommand }) => openForCommand?.(all) ?? []);
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
