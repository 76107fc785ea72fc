/** The caller (GET /api/profile, read once when the console starts), its second factors, the way to a provider, and the sites that share its account. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { z } from 'zod';
import type { SITES } from '../../../accounts/sites/sites.ts';
import type { AnswerOf } from './answers.ts';
import { type ApiResponse, problemOf, sendToApi, useFetched, valueOr } from './api.ts';
import { type PasskeyProblem, toPasskeyProblem } from './webauthn.ts';
import { facts } from './words.ts';

export type Profile = AnswerOf<'PROFILE'>;

/** Whose pages are shown: the caller's, or those of the person whose view the caller takes. */
export const ProfileContext = createContext<Profile>({ username: '', role: '', allowed_cameras: [] });
export const useProfile = (): Profile => useContext(ProfileContext);

/** The API keeps the rules; a page only does not offer what it would refuse. */
export const isAdmin = ({ role }: Profile): boolean => role === 'admin';

/** Interface 5.6: on the internal port there is no login, and no logout. */
export const isAnonymous = ({ username }: Profile): boolean => username === 'anonymous';

export const toProfile = (body: unknown): Profile => {
  const told: Profile = Object(body);
  return { ...told, role: told.custom_role ?? told.role };
};

export type FactorState = AnswerOf<'SECOND_FACTOR'>;

export const hasFactor = ({ totp, passkeys }: FactorState): boolean => totp || passkeys.length > 0;

/** What an admin of a new house does first, and whether it is done. */
export const firstSteps = (state: FactorState, hasOthers: boolean) => [
  ...(state.off ? [] : [['factor', hasFactor(state)] as const]),
  ['users', hasOthers] as const,
];

/** Makes a passkey, or shows one, by the options of a path, and sends it there. Gives the answer, or what is wrong in the words of `problems`. */
export async function sendPasskey(
  path: string,
  ask: (options: unknown) => Promise<object>,
  problems: Readonly<Record<PasskeyProblem, string>>,
  more: object = {},
): Promise<ApiResponse | string> {
  const options = await sendToApi('POST', `${path}/options`);
  if (options.kind !== 'ok') return options;
  try {
    return await sendToApi('POST', path, { ...more, credential: await ask(options.body) });
  } catch (fault) {
    return problems[toPasskeyProblem(fault)];
  }
}

/** Goes to the provider that the API names, from where the browser is led back (SPEC 16); gives the problem when it names none. */
export async function goToProvider(path: string, body?: object): Promise<string | undefined> {
  const response = await sendToApi('POST', path, body);
  if (response.kind !== 'ok') return problemOf(response);
  location.assign((response.body as { readonly url: string }).url);
  return undefined;
}

/** The sites that share the accounts, each with an NVR of its own (SPEC 20). Undefined where there is one site, and until the answer is there. */
export const useSites = () =>
  valueOr(useFetched<z.output<typeof SITES> | undefined>(facts.hasOtherNvrs && 'api/sites')[0], undefined);

/** The cameras that a role or a token may name: those of all sites. */
export function useNameableCameras(): readonly string[] {
  const { allowed_cameras } = useProfile();
  return [...new Set([...allowed_cameras, ...(useSites()?.others ?? []).flatMap(({ cameras = [] }) => cameras)])];
}
