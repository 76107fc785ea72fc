/** Gives V8 its optimizing compilers and its heap growth back, which `main.js` holds back during the start to save memory. */
import v8 from 'node:v8';

/**
 * What is hot is optimized from here on, and the young generation grows with its load, up to `--max-semi-space-size` of
 * package.json and Dockerfile.
 * For the whole process, its threads too. To be called when everything is imported: V8 tells kept code by its flags.
 */
export function releaseV8(): void {
  for (const compiler of ['maglev', 'turbo']) v8.setFlagsFromString(`--${compiler}-filter=*`);
  v8.setFlagsFromString('--semi-space-growth-factor=2');
}
