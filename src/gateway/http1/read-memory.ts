/** Memory that upstream connections read into, so that long bodies pass through without being copied. */

/** Read into by every connection that has no memory of its own: what is read is used up, or copied, before the call ends. */
const SHARED = Buffer.allocUnsafeSlow(64 * 1024);
/** Fewer reads and writes for each byte than with less. */
const LOAN_BYTES = 256 * 1024;
/** Less than this in one read is no long body, or a slow one: copying it costs less than memory of its own. */
const SHALLOW_READ = 32 * 1024;
const MOST_KEPT = 16;
const kept: Buffer[] = [];

/** Memory that one connection reads into alone. Writes to its client read from it until the kernel has taken their bytes. */
interface Loan {
  readonly buffer: Buffer;
  /** Writes that still read from it. */
  writes: number;
  /** The connection reads into it no more. */
  isOver: boolean;
}

export interface ReadMemory {
  /** What the next read goes into. */
  buffer(): Buffer;
  /** Chooses it, after a read of so many bytes. */
  choose(count: number, mayBorrow: boolean): void;
  /**
   * Lends the bytes of the last read; the function is called when a write has taken them. Undefined where they must be used up
   * at once. `onFree` is called when the same memory may be read into again.
   */
  lend(onFree: () => void): (() => void) | undefined;
  /** Whether writes still read from the memory that the next read goes into. */
  isLent(): boolean;
  /** The body is over: what was its own becomes another's as soon as no write needs it. */
  end(): void;
}

export function createReadMemory(): ReadMemory {
  let loan: Loan | undefined;
  const end = (): void => {
    if (!loan) return;
    loan.isOver = true;
    giveBack(loan);
    loan = undefined;
  };
  return {
    end,
    buffer: () => loan?.buffer ?? SHARED,
    isLent: () => loan !== undefined && loan.writes > 0,
    choose(count, mayBorrow) {
      if (!loan && mayBorrow && count === SHARED.length) loan = takeLoan();
      else if (count < SHALLOW_READ) end();
    },
    lend(onFree) {
      if (!loan) return undefined;
      const lent = loan;
      lent.writes += 1;
      return () => {
        lent.writes -= 1;
        giveBack(lent);
        if (lent.writes === 0 && !lent.isOver) onFree();
      };
    },
  };
}

const takeLoan = (): Loan => ({ buffer: kept.pop() ?? Buffer.allocUnsafeSlow(LOAN_BYTES), writes: 0, isOver: false });

/** A loan whose writes never end, because their socket was destroyed, is left to the garbage collection. */
function giveBack({ buffer, writes, isOver }: Loan): void {
  if (isOver && writes === 0 && kept.length < MOST_KEPT) kept.push(buffer);
}
