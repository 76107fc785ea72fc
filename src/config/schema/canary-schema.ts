/** The keys of the canary (SPEC 15). */
import { z } from 'zod';
import { secondsOrNever } from './value-types.ts';

/** A round asks some hundred questions with long pauses. */
const SHORTEST_SECONDS = 60;

export const canarySection = z
  .strictObject({
    every: secondsOrNever(SHORTEST_SECONDS).prefault(null).meta({
      description:
        'How often a caller of one camera, who exists nowhere else, asks all routes of the route table and looks for other cameras in the answers: 1h, 30m, or seconds, at least 60. Null: never.',
      example: '1h',
      widens: 'never',
    }),
  })
  .prefault({})
  .describe('The canary: a standing test that no route shows a camera to a caller who may not see it.');
