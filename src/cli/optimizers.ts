/** Lets V8 optimize what is hot: until here `main.js` has kept it from that, for a start runs once and the optimizers take memory. */
import v8 from 'node:v8';

/** For the whole process, its threads too. To be called when everything is imported: V8 tells kept code by its flags. */
export function wakeOptimizers(): void {
  for (const compiler of ['maglev', 'turbo']) v8.setFlagsFromString(`--${compiler}-filter=*`);
}
