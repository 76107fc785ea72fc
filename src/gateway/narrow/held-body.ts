/** The body of a response of which nothing is sent before it was read: the whole of it, or its beginning. */
import { setImmediate } from 'node:timers/promises';
import type { Upstream } from '../../domain/addresses.ts';
import type { Sharer } from '../../domain/async.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { createUpstreamSlots } from '../../outbound/ask-upstream.ts';

/** What the receiver of a response may do to it. */
export interface ResponseControl {
  /** Nothing more of the response is wanted, and nothing more is told. */
  abort(): void;
  pause(): void;
  resume(): void;
}

/** Calls `begin` when it is the caller's turn. Returns what ends the turn, or the wait for it. */
export type TakeTurn = (begin: () => void) => () => void;

/** Large bodies that are read at once, half of them for one caller: more would wait in memory while one is narrowed after the other. */
const TURNS = createUpstreamSlots({ most: 4, mostWaiting: 1024, ofCaller: 1 / 2, kept: 0, patienceMs: 10_000 });

/** Who has waited for long begins without a turn: four bodies that do not come must not keep all others back. */
export const turnAt =
  (upstream: Upstream, sharer: Sharer): TakeTurn =>
  (begin) =>
    TURNS.take(upstream, sharer, begin, begin);

/** Judges bytes that have come; `sum` is with those before them. `enough` takes them as the last ones, a reason refuses all. */
type JudgeBytes = (added: number, sum: number) => RefusalReason | 'enough' | undefined;

export const LARGEST_HELD = 32 * 1024 * 1024;
/** Bytes of a body that needs no turn. */
const SMALL = 64 * 1024;
/** Bytes that are copied in one turn of the event loop: some megabytes take some milliseconds. */
const BLOCK = 512 * 1024;

export class HeldBody {
  readonly #control: ResponseControl;
  readonly #announced: number;
  readonly #takeTurn: TakeTurn | undefined;
  readonly #read = Promise.withResolvers<RefusalReason | undefined>();
  readonly #blocks: Buffer<ArrayBuffer>[] = [];
  #judge: JudgeBytes = () => undefined;
  #length = 0;
  /** Bytes of the last block that are still free. */
  #room = 0;
  #leave: (() => void) | undefined;
  #isOver = false;

  /** `announced`: its bytes. `takeTurn`: for a large one. */
  constructor(control: ResponseControl, announced = Number.NaN, takeTurn?: TakeTurn) {
    this.#control = control;
    this.#announced = announced <= LARGEST_HELD ? announced : 0;
    this.#takeTurn = takeTurn;
    if (announced > SMALL) this.#awaitTurn();
  }

  /** Gives memory that holds nothing else. Its turn goes on until `release`. */
  async read(judge: JudgeBytes): Promise<Result<Buffer<ArrayBuffer>, RefusalReason>> {
    this.#judge = judge;
    const fault = await this.#read.promise;
    return fault === undefined ? ok(await this.#joined()) : err(fault);
  }

  /** Copies the bytes. */
  add(bytes: Buffer): void {
    if (this.#isOver) return;
    const verdict = this.#judge(bytes.length, this.#length + bytes.length);
    if (verdict !== undefined && verdict !== 'enough') return void this.drop(verdict);
    this.#copy(bytes);
    if (verdict === 'enough') {
      this.end();
      this.#control.abort();
    } else if (this.#length > SMALL) this.#awaitTurn();
  }

  /** All that is wanted has come. */
  end(): void {
    this.#isOver = true;
    this.#read.resolve(undefined);
  }

  /** Nothing of it is wanted any more, or the rest will not come. */
  drop(fault: RefusalReason = 'nvr-bad-answer'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#read.resolve(fault);
    this.#control.abort();
  }

  /** Ends its turn, or its wait. */
  release(): void {
    this.drop();
    this.#leave?.();
  }

  #awaitTurn(): void {
    if (this.#leave || !this.#takeTurn) return;
    this.#control.pause();
    this.#leave = this.#takeTurn(() => this.#control.resume());
  }

  #copy(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#room === 0) this.#openBlock(bytes.length - at);
      const block = this.#blocks.at(-1) ?? bytes;
      const copied = bytes.copy(block, block.length - this.#room, at);
      at += copied;
      this.#length += copied;
      this.#room -= copied;
    }
  }

  /** The first is as large as the body, where that was announced; every other one as large as all before it. */
  #openBlock(needed: number): void {
    this.#room = Math.max(needed, this.#length === 0 ? this.#announced : Math.min(this.#length, BLOCK));
    this.#blocks.push(Buffer.allocUnsafeSlow(this.#room));
  }

  /** Copies one block a turn. The copied ones are kept no longer. */
  async #joined(): Promise<Buffer<ArrayBuffer>> {
    const blocks = this.#blocks.splice(0);
    const [first] = blocks;
    if (first?.length === this.#length) return first;
    const whole = Buffer.allocUnsafeSlow(this.#length);
    let at = 0;
    for (const block of blocks) {
      at += block.copy(whole, at);
      if (at % BLOCK < block.length) await setImmediate();
    }
    return whole;
  }
}
