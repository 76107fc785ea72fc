/** Shapes of links, as `/api/links` takes and gives them (SPEC 13). */
import { listOf, MAYBE_TIME, object, TEXT, TIME } from './schema-parts.ts';

const CAMERA = object({ camera: TEXT });

const SHARED = {
  oneOf: [
    object({ event: { ...TEXT, description: 'The id of an event' } }),
    object({ review: { ...TEXT, description: 'The id of a review' } }),
    object({ recording: object({ camera: TEXT, from: { type: 'number' }, to: { type: 'number' } }) }),
    object({ live: CAMERA }),
    object({ snapshot: CAMERA }),
  ],
};

export const LINK_SCHEMAS = {
  Link: object({
    id: TEXT,
    what: SHARED,
    camera: TEXT,
    name: { type: ['string', 'null'] },
    user: { ...TEXT, description: 'Who made it' },
    token_id: { type: ['string', 'null'], description: 'The API token that made it' },
    state: { enum: ['active', 'spent', 'revoked', 'expired'] },
    uses: { type: ['integer', 'null'], description: 'How many viewers may open it; null: any number' },
    opened: { type: 'integer', description: 'How many viewers have' },
    has_pin: { type: 'boolean' },
    notify_on_open: { type: 'boolean' },
    created_at: TIME,
    expires_at: TIME,
    revoked_at: MAYBE_TIME,
    openings: listOf(object({ at: TIME, address: TEXT, agent: { type: ['string', 'null'] } })),
  }),
  NewLink: object(
    {
      what: SHARED,
      expires_in: { type: 'integer', minimum: 60, description: 'Seconds; at most links.max_lifetime' },
      uses: { type: ['integer', 'null'], minimum: 1, maximum: 1000 },
      pin: { type: 'string', minLength: 4, maxLength: 64 },
      name: { type: 'string', minLength: 1, maxLength: 100 },
      notify_on_open: { type: 'boolean', description: 'Tell the maker and notify.webhook of the first opening' },
    },
    ['what'],
  ),
  MadeLink: object(
    {
      id: TEXT,
      url: { ...TEXT, description: 'Shown this once; a path while server.public_url is not set' },
      expires_at: TIME,
      files: { type: 'array', items: TEXT, description: 'What can be asked for below the address' },
      note: TEXT,
    },
    ['id', 'url', 'expires_at', 'files'],
  ),
  Pin: object({ pin: TEXT }),
  Given: object({ success: { const: true }, expires_at: TIME }),
} as const;
