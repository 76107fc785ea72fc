/** The forms of answers that only Frigate has: its configuration, figures, metrics and cases of exports (SPEC 5, `answer`). */

import { withoutForeignObjects } from '../../access/narrow/without-foreign.ts';
import type { AnswerRule, NvrAdapter, OwnConfig } from '../../access/nvr-adapter.ts';
import { memberOf } from '../../access/recorder-layout.ts';
import { isRecord } from '../../domain/json.ts';
import { narrowConfig } from './narrow-config.ts';
import { narrowMetrics } from './narrow-metrics.ts';
import { narrowStats } from './narrow-stats.ts';
import { seenCases } from './seen-cases.ts';

const config: AnswerRule = {
  concerns: ['restricted', 'reader', 'admin'],
  reads: 'json',
  hasLayout: true,
  knows: 'own-config',
  narrow: (json, { view, known }) =>
    isRecord(json) && known ? narrowConfig(json, view, known as OwnConfig) : undefined,
};

const cases: AnswerRule = {
  concerns: ['restricted'],
  reads: 'json',
  knows: seenCases,
  narrow(json, { view, known }) {
    const seen = known as ReadonlySet<string> | undefined;
    return Array.isArray(json)
      ? withoutForeignObjects(
          json.filter((one) => seen?.has(String(memberOf(one, 'id'))) === true),
          view,
        )
      : undefined;
  },
};

export const ANSWERS: NvrAdapter['answers'] = {
  config,
  cases,
  stats: { concerns: ['restricted', 'reader'], reads: 'json', narrow: (json, { view }) => narrowStats(json, view) },
  metrics: {
    concerns: ['restricted', 'reader'],
    reads: 'text',
    narrow: (text, { view }) => narrowMetrics(String(text), view),
  },
};
