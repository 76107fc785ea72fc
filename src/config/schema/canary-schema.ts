/** The keys of the canary and of shadow mode (SPEC 15). */
import { z } from 'zod';
import { filePath, wordedSeconds } from './value-types.ts';

/** A round asks some hundred questions with long pauses. */
const SHORTEST_SECONDS = 60;

export const canarySection = z
  .strictObject({
    every: wordedSeconds(SHORTEST_SECONDS).prefault(null).meta({
      description:
        'How often a caller of one camera, who exists nowhere else, asks all routes of the route table and looks for other cameras in the answers: 1h, 30m, or seconds, at least 60. Null: never.',
      example: '1h',
      widens: 'never',
    }),
  })
  .prefault({})
  .describe('The canary: a standing test that no route shows a camera to a caller who may not see it.');

export const shadowSection = z
  .strictObject({
    config: filePath().optional().meta({
      description:
        'Another configuration file, whose nvr.policy and auth.roles judge every request beside this one. Differences are counted and listed on GET /api/status; nothing of it is enforced.',
      example: './next.yaml',
      widens: 'never',
    }),
  })
  .prefault({})
  .describe('Shadow mode: what another configuration would change, seen on live traffic.');
