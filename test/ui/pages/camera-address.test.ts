/** The address of a still image: whatever a camera is called, it is one parameter or one run of segments (SPEC 18, 20). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { cameraAddress } from '../../../src/ui/pages/shared/page-facts.ts';

it('The address of a still image has the camera, the height and the time where the route table writes them', () => {
  // biome-ignore format: a table
  const rows: [still: string, camera: string, address: string][] = [
    ['/api/{camera}/latest.jpg?h={height}&t={time}', 'front door', '/api/front%20door/latest.jpg?h=360&t=1700000000'],
    ['/api/frame.jpeg?src={camera}',                 'a/b&src=c',  '/api/frame.jpeg?src=a%2Fb%26src%3Dc'],
    ['/{camera...}/still.jpg',                       'a b/c',      '/a%20b/c/still.jpg'],
    ['/{camera}.jpg',                                '$&{height}', '/%24%26%7Bheight%7D.jpg'],
  ];
  for (const [still, camera, address] of rows) assert.equal(cameraAddress(still, camera, 360, 1_700_000_000), address);
});
