/** The end of a request, however it ends: what was taken for it is given back there, also what is taken behind an await. */

export class Ending {
  #gives: (() => void)[] | undefined = [];

  get isOver(): boolean {
    return this.#gives === undefined;
  }

  /** Calls `give` at the end; at once where the end has been, for its event comes no second time. */
  defer(give: () => void): void {
    if (this.#gives) this.#gives.push(give);
    else give();
  }

  /** Only the first call counts. */
  end(): void {
    const gives = this.#gives ?? [];
    this.#gives = undefined;
    for (const give of gives) give();
  }
}
