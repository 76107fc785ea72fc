/** Parts that the shapes of the API are made of (JSON Schema 2020-12). */

export type Schema = Readonly<Record<string, unknown>>;

export const TEXT = { type: 'string' } as const;
export const MAYBE_TIME = { type: ['integer', 'null'], description: 'Unix seconds' } as const;
export const TIME = { type: 'integer', description: 'Unix seconds' } as const;
export const CAMERAS = { type: 'array', items: TEXT } as const;
export const MAYBE_CAMERAS = { type: ['array', 'null'], items: TEXT, description: 'null: all' } as const;

export const object = (properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required,
});

export const listOf = (items: Schema): Schema => ({ type: 'array', items });
