/** Names of cameras and zones without their underscores. The server's pages use it too, so it brings no texts along. */

/** `front_door` is `front door`. An underscore at an end, or beside another, stays. */
export const spaced = (name: string): string => name.replaceAll(/(?<=[^_])_+(?=[^_])/g, ' ');
