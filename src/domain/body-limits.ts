/** How large a request body that Postern reads itself may be, in bytes (SPEC 4.1). */
// biome-ignore format: a table
export const BODY_LIMITS = {
  /** Names and passwords. */
  credentials:      8 * 1024,
  /** Roles and tokens: a thousand cameras with long names. */
  cameraList:      64 * 1024,
  /** `PUT /api/config/set` of the NVR: the masks and zones of many cameras. */
  nvrConfig: 4 * 1024 * 1024,
} as const;
