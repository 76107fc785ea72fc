/** The features of a start: opened in the order of their list, closed in the reverse order. */
import { FEATURES } from '../features/all.ts';
import type { ActiveFeature, FeatureRules, FeatureServices, OpenFeature } from '../features/feature.ts';

export type OpenFeatures = ReturnType<typeof openFeatures>;

export function openFeatures(list = FEATURES, services: FeatureServices) {
  const opened: readonly OpenFeature[] = list.flatMap(({ open }) => open?.(services) ?? []);
  return {
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
