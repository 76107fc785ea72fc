/** The caller (GET /api/profile, read once when the console starts), its second factors, the way to a provider, and the sites that share its account. */
import type { z } from 'zod';
import type { SECOND_FACTOR, TOTP_OFFER } from '../../../accounts/http/answers.ts';
import { type ApiResponse, getFromApi, sendToApi } from './api.ts';
import type { FormProblem } from './form-faults.ts';
import { problemOf } from './problems.ts';
import { isFields, textOf, textsOf } from './untrusted.ts';
import { useFetched } from './use-fetched.ts';
import { words } from './words.ts';

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

export type FactorState = z.output<typeof SECOND_FACTOR>;
export type PasskeyRecord = FactorState['passkeys'][number];
export type TotpOffer = Pick<z.output<typeof TOTP_OFFER>, 'secret' | 'qr'>;

export const NO_FACTORS: FactorState = { required: false, totp: false, passkeys: [], recovery_codes_left: 0 };

export const readFactors = (body: unknown): FactorState => ({ ...NO_FACTORS, ...(isFields(body) ? body : {}) });

export function readOffer(body: unknown): TotpOffer | undefined {
  const { secret, qr } = isFields(body) ? { secret: textOf(body['secret']), qr: textOf(body['qr']) } : {};
  return secret === undefined || qr === undefined ? undefined : { secret, qr };
}

export const readRecoveryCodes = (body: unknown): readonly string[] =>
  isFields(body) ? textsOf(body['recovery_codes']) : [];

/** Goes where the API says; gives the problem when it says nothing. */
export async function goToProvider(path: string, body?: object): Promise<FormProblem | undefined> {
  const response = await sendToApi('POST', path, body);
  if (response.kind !== 'ok') return problemOf(response);
  const url = isFields(response.body) ? response.body['url'] : undefined;
  if (typeof url === 'string') location.assign(url);
  return undefined;
}

interface OtherSite {
  readonly name: string;
  /** Undefined: its address is not configured here. */
  readonly url: string | undefined;
  /** None for all but admins. */
  readonly cameras: readonly string[];
}

export interface Sites {
  readonly own: string;
  readonly others: readonly OtherSite[];
}

let isShared = false;

/** Called once, before the first page is shown. */
export const learnSites = (hasSites: boolean): void => {
  isShared = hasSites;
};

/** Undefined where there is one site, and until the answer is there. */
export function useSites(): Sites | undefined {
  const [sites] = useFetched(isShared ? 'api/sites' : undefined, readSites);
  return sites.kind === 'ready' ? sites.value : undefined;
}

function readSites(body: unknown): Sites | undefined {
  const own = isFields(body) ? textOf(body['site']) : undefined;
  if (!isFields(body) || own === undefined) return undefined;
  const others = (Array.isArray(body['others']) ? body['others'] : []).filter(isFields).flatMap((site) => {
    const name = textOf(site['name']);
    return name === undefined ? [] : [{ name, url: textOf(site['url']), cameras: textsOf(site['cameras']) }];
  });
  return { own, others };
}

/** The cameras that a role or a token may name: those of all sites. */
export const nameableCameras = ({ cameras }: Pick<Profile, 'cameras'>, sites: Sites | undefined): readonly string[] => [
  ...new Set([...cameras, ...(sites?.others ?? []).flatMap((site) => site.cameras)]),
];
