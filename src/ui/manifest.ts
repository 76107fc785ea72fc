/** The web app manifest: the console can be installed, below any base path. It is public, and tells nothing of cameras (SPEC 8). */
import type { BuiltPages } from './built-pages.ts';

/** Relative to the base path. */
export const MANIFEST_PATH = '/postern/manifest.webmanifest';

/** The surface of the console's bar. */
const THEME_COLOUR = '#0f766e';
const GROUND = '#f4f6f8';

/** Addresses in it are relative to its own, so it is the same below every base path. */
export function manifestOf({ assets }: Extract<BuiltPages, { kind: 'built' }>): string {
  const icons = [...assets.keys()]
    .map((name) => ({ name, size: /^icon-(?<size>\d+)[-.].*png$/.exec(name)?.groups?.['size'] }))
    .filter(({ size }) => size !== undefined)
    .flatMap(({ name, size }) =>
      (['any', 'maskable'] as const).map((purpose) => ({
        src: `assets/${name}`,
        sizes: `${size}x${size}`,
        type: 'image/png',
        purpose,
      })),
    );
  return JSON.stringify({
    name: 'Postern',
    short_name: 'Postern',
    start_url: './',
    // The login and the pages of the NVR stand beside the console.
    scope: '../',
    display: 'standalone',
    background_color: GROUND,
    theme_color: THEME_COLOUR,
    icons,
  });
}
