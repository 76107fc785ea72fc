/** The body of a response of which nothing is sent before it was read: the whole of it, or its beginning. */
import { setImmediate } from 'node:timers/promises';
import type { TaskQueue } from '../../domain/async.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { err, ok, type Result } from '../../domain/result.ts';

/** What the receiver of a response may do to it. */
export interface ResponseControl {
  /** Nothing more of the response is wanted, and nothing more is told. */
  abort(): void;
  pause(): void;
  resume(): void;
}

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
  readonly #turns: TaskQueue | undefined;
  readonly #read = Promise.withResolvers<RefusalReason | undefined>();
  readonly #blocks: Buffer<ArrayBuffer>[] = [];
  #judge: JudgeBytes = () => undefined;
  #length = 0;
  /** Bytes of the last block that are still free. */
  #room = 0;
  #hasAsked = false;
  #leave = (): void => {};
  #isOver = false;

  /** `announced`: its bytes. `turns`: of large bodies, which would otherwise all be in memory while one is narrowed after the other. */
  constructor(control: ResponseControl, announced = Number.NaN, turns?: TaskQueue) {
    this.#control = control;
    this.#announced = announced <= LARGEST_HELD ? announced : 0;
    this.#turns = turns;
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

  /** Ends its turn. */
  release(): void {
    this.drop();
    this.#leave();
  }

  #awaitTurn(): void {
    if (this.#hasAsked || !this.#turns) return;
    this.#hasAsked = true;
    this.#control.pause();
    void this.#turns.enter().then((leave) => {
      this.#leave = leave;
      if (this.#isOver) leave();
      else this.#control.resume();
    });
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

  /** Copies one block a turn. */
  async #joined(): Promise<Buffer<ArrayBuffer>> {
    const [first] = this.#blocks;
    if (first?.length === this.#length) return first;
    const whole = Buffer.allocUnsafeSlow(this.#length);
    let at = 0;
    for (const block of this.#blocks) {
      at += block.copy(whole, at);
      if (at % BLOCK < block.length) await setImmediate();
    }
    return whole;
  }
}
