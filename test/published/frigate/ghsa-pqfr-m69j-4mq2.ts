/** A file of the host, copied by an export that a viewer asks for. */
import type { Attacker, PublishedHole, RequestAttack } from '../hole.ts';

const ESCAPE = '/media/frigate/clips\\..\\..\\..\\config/config.yml';

const exporting = (by: Attacker, target: string, body: object): RequestAttack => ({
  by,
  method: 'POST',
  target,
  headers: ['Content-Type: application/json'],
  arrives: 'as itself',
  body: JSON.stringify(body),
});

export const hole: PublishedHole = {
  id: 'GHSA-pqfr-m69j-4mq2',
  product: 'Frigate before 0.17.2',
  title: 'any file of the host as the picture of an export',
  story:
    'An export takes the path of a picture in its body, and copies that file to where every user can read it. The path was looked at before its backslashes became slashes, so that it led out of the directory of clips.',
  source: 'https://github.com/blakeblackshear/frigate/security/advisories/GHSA-pqfr-m69j-4mq2',
  here: 'The picture of others than admins is that of a review of a camera that they see, by its exact path; any other is taken out of the body. That of an admin has the shape of a path below the directory of clips. Every field that others may send is in the row of the route table with its form; the rest is refused.',
  isUsedBy: ({ body }) => body.includes('..'),
  attacks: [
    exporting('viewer', '/api/export/cam1/start/1/end/2', { image_path: ESCAPE }),
    exporting('viewer', '/api/exports/batch', { items: [{ camera: 'cam1', image_path: ESCAPE }] }),
    exporting('restricted', '/api/export/cam1/start/1/end/2', { image_path: ESCAPE }),
    exporting('restricted', '/api/exports/batch', { items: [{ camera: 'cam1', image_path: ESCAPE }] }),
  ],
};
