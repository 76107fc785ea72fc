/** A row of a route table as it is written: its keys, and the words for a bad value (SPEC 5). */
import { z } from 'zod';
import { ACCESS_LEVELS, RESPONSE_FORMS, VERBS, VIEWS } from '../../domain/policy.ts';
import { text } from '../schema/value-types.ts';
import { parseBodyForm } from './body-form.ts';

const LOCATOR =
  /^(?:(?:stream|frames|event|review|export|export-file|case|job|file:(?:preview|review-thumb|clip|image)):)?(?:(?:path|query):\w+|body:\w+(?:\[\]\.\w+)?)$/;
const TIME_LOCATOR =
  /^(?:query:\w+(?::\d+)?|path:\w+|file:path:\w+|hour:path|utc-hour:path|id|answer|own-route|own-data(?::(?:explore|labels|sub_labels|plates))?)$/;
const PREFIX_PLACE = /^(?:always|header:[a-z][a-z-]*|recent:(?:id|path:\w+|body:\w+(?:\[\]\.\w+)?)|body:\w+=\w+)$/;
const NARROWING =
  /^(?:check|lookup|post-check|post-filter|rewrite-body|own-data(?::(?:explore|sub_labels|plates))?|per-message|deny|(?:rewrite|fanout):[a-z_]+)$/;

/** Of the NVR: `0.18`. */
export const releaseSchema = z.string().regex(/^\d+\.\d+$/);

export const rowSchema = z.strictObject({
  route: z.string(),
  access: z.enum(ACCESS_LEVELS),
  cameras: z
    .array(
      text(
        (locator) => LOCATOR.test(locator),
        (shown) => `${shown} is not a camera locator: write for example "path:camera" or "query:cameras"`,
      ),
    )
    .min(1)
    .exactOptional(),
  narrow: text(
    (rule) => NARROWING.test(rule),
    (shown) => `${shown} is not a way to narrow a response: write for example check or "rewrite:cameras"`,
  ).exactOptional(),
  answer: z.enum(RESPONSE_FORMS).exactOptional(),
  times: z
    .array(
      text(
        (locator) => TIME_LOCATOR.test(locator),
        (shown) => `${shown} does not say where times stand: write for example "query:after" or "path:start"`,
      ),
    )
    .min(1)
    .exactOptional(),
  by_prefix: z
    .array(
      text(
        (place) => PREFIX_PLACE.test(place),
        (shown) =>
          `${shown} does not say when the NVR looks up by the beginning of a name: write for example always or "recent:path:start"`,
      ),
    )
    .min(1)
    .exactOptional(),
  empty: z.unknown().exactOptional(),
  verb: z.enum(VERBS).exactOptional(),
  denied: z.literal('empty').exactOptional(),
  views: z.enum(VIEWS).exactOptional(),
  body: z
    .unknown()
    .transform((written, context) => {
      const shape = parseBodyForm(written);
      if (shape.ok) return shape.value;
      context.addIssue({ code: 'custom', message: shape.error });
      return z.NEVER;
    })
    .exactOptional(),
  admin_fields: z.array(z.string().min(1)).min(1).exactOptional(),
  admin_parameters: z.array(z.string().min(1)).min(1).exactOptional(),
  signalling: z.boolean().exactOptional(),
  starts: z.literal('job').exactOptional(),
  writes: z.boolean().exactOptional(),
  dynamic: z.boolean().exactOptional(),
  secret: z.boolean().exactOptional(),
  enrolment: z.boolean().exactOptional(),
  link: z.boolean().exactOptional(),
  forwarded: z.boolean().exactOptional(),
  compressed: z.boolean().exactOptional(),
  note: z.string().exactOptional(),
  handler: z.strictObject({ checked: z.array(releaseSchema).min(1), does: z.string().min(1) }).exactOptional(),
});

export type RowText = z.output<typeof rowSchema>;

/** `GET,WS /api/{camera}` as its methods and its path. */
export function splitRoute(route: string): { methods: readonly string[]; path: string } {
  const [methods = '', path = ''] = route.split(' ', 2);
  return { methods: methods.split(','), path };
}
