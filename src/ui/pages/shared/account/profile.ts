/** The caller: GET /api/profile, read once when the console starts. */
import { type ApiResponse, getFromApi } from '../api.ts';
import { isFields, textOf, textsOf } from '../forms/fields.ts';
import { words } from '../words.ts';

export interface Profile {
  readonly name: string;
  readonly role: string;
  readonly cameras: readonly string[];
  /** The names that people give cameras, by the camera's name, where the NVR has such. */
  readonly cameraNames: ReadonlyMap<string, string>;
  /** Interface 5.6: on the internal port there is no login, and no logout. */
  readonly isAnonymous: boolean;
  /** A second factor must be set up before anything else. */
  readonly mustEnrol: boolean;
  /** The password was generated at the first start, and is to be changed. */
  readonly mustChangePassword: boolean;
}

/** The API keeps the rules; a page only does not offer what it would refuse. */
export const isAdmin = ({ role }: Profile): boolean => role === 'admin';

export type ProfileOutcome =
  | { readonly kind: 'known'; readonly profile: Profile }
  | Extract<ApiResponse, { kind: 'login-needed' }>
  | { readonly kind: 'failed'; readonly message: string };

export async function readProfile(): Promise<ProfileOutcome> {
  const response = await getFromApi('api/profile');
  if (response.kind === 'login-needed') return response;
  if (response.kind === 'refused') return { kind: 'failed', message: response.message };
  if (response.kind !== 'ok') return { kind: 'failed', message: words.ui.common.notReached };
  const profile = asProfile(response.body);
  return profile ? { kind: 'known', profile } : { kind: 'failed', message: words.ui.frame.noName };
}

function asProfile(body: unknown): Profile | undefined {
  if (!isFields(body)) return undefined;
  const name = textOf(body['username']);
  if (name === undefined) return undefined;
  const role = textOf(body['role']) ?? 'viewer';
  return {
    name,
    role,
    cameras: textsOf(body['allowed_cameras']),
    cameraNames: namesOf(body['camera_names']),
    isAnonymous: name === 'anonymous',
    mustEnrol: body['second_factor_required'] === true,
    mustChangePassword: body['password_is_generated'] === true,
  };
}

const namesOf = (names: unknown): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(isFields(names) ? names : {}).flatMap(([camera, name]) =>
      textOf(name) ? [[camera, String(name)]] : [],
    ),
  );
