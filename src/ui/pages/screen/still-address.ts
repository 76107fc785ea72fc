/** The address of a camera's still image: the route table's, with the camera, the height and the time in their places. Pure. */

export const stillAddress = (still: string, camera: string, height: number, time: number): string =>
  still
    .replace('{camera...}', () => camera.split('/').map(encodeURIComponent).join('/'))
    .replace('{camera}', () => encodeURIComponent(camera))
    .replace('{height}', () => String(height))
    .replace('{time}', () => String(time));
