/** The token of doctor's probes: known to the server, may nothing, and ends soon (SPEC 15). */
import type { TokenAdmin } from '../../accounts/tokens/token-admin.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';

export interface ProbeToken {
  readonly text: string;
  readonly revoke: () => Promise<unknown>;
}

/** Long enough for the longest silence that may be asked for. */
const TOKEN_SECONDS = 600;
/** No camera is called so: whatever the address leads to, the token shows nothing. */
const NO_CAMERA = 'no-camera-of-this-name';

/**
 * Creates a token in the name of `asker`, and of no other account. `asker` is undefined where nobody is logged in (the
 * command line, the internal listener): then an admin's name is used. A proxy's users are names and nothing more. Errs with
 * a sentence.
 */
export async function makeProbeToken(
  tokens: Pick<TokenAdmin, 'create' | 'revoke'>,
  users: { list(): Promise<readonly { readonly name: string; readonly role: string }[]> },
  clock: Clock,
  asker?: string,
): Promise<Result<ProbeToken, string>> {
  const user = asker ?? (await users.list()).find(({ role }) => role === ADMIN)?.name ?? 'doctor';
  const made = await tokens.create({
    user,
    name: 'postern doctor',
    role: VIEWER,
    cameras: [NO_CAMERA],
    expiresAt: unixSeconds(clock) + TOKEN_SECONDS,
  });
  if (!made.ok) return err(made.error.message);
  const { text, token } = made.value;
  return ok({ text, revoke: () => tokens.revoke(token.id) });
}
