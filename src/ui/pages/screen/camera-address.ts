/** The address of a camera's still image or live stream: the route table's, with the camera, the height and the time in their places. Pure. */

export const cameraAddress = (written: string, camera: string, height = 0, time = 0): string =>
  written
    .replace('{camera...}', () => camera.split('/').map(encodeURIComponent).join('/'))
    .replace('{camera}', () => encodeURIComponent(camera))
    .replace('{height}', () => String(height))
    .replace('{time}', () => String(time));
