/** The way to a provider and back: the browser leaves the page, and the provider leads it back (SPEC 16). */
import { sendToApi } from '../api.ts';
import { isFields } from '../forms/fields.ts';
import type { FormProblem } from '../forms/form-faults.ts';
import { problemOf } from '../forms/problem-of.ts';

/** Goes where the API says; gives the problem when it says nothing. */
export async function goToProvider(path: string, body?: object): Promise<FormProblem | undefined> {
  const response = await sendToApi('POST', path, body);
  if (response.kind !== 'ok') return problemOf(response);
  const url = isFields(response.body) ? response.body['url'] : undefined;
  if (typeof url === 'string') location.assign(url);
  return undefined;
}
