/** A redirect of the NVR for others than admins: to a target that is for them, and without a body (SPEC 5). */
import type { ServerResponse } from 'node:http';
import type { RefusalReason } from '../../domain/refusal.ts';
import { headerValues, type ResponseHead, type ResponseHeadRules } from '../response/response-headers.ts';
import { headersBesideBody, type ResponseReader } from './error-text.ts';

/** 304 is an answer to a condition. */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304;

/** Why it may not be passed on. Of several lines clients follow the first, or the last: each is judged. */
export const redirectFault = (head: ResponseHead, { redirectFault }: ResponseReader): RefusalReason | undefined =>
  headerValues(head, 'location')
    .map(redirectFault)
    .find((fault) => fault !== undefined);

export function passRedirect(head: ResponseHead, response: ServerResponse, rules: ResponseHeadRules): void {
  response.writeHead(head.statusCode ?? 302, [...headersBesideBody(head, rules), 'content-length', '0']).end();
}
