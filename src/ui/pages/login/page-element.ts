/** An element that the page is known to have, as the kind it is known to be. */
export function element<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`login.html has no ${kind.name} with the id ${id}`);
}
