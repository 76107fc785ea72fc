/** What is known of a request on its way through the pipeline. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestFacts } from '../../domain/request.ts';
import type { Admitted } from '../decision/admit.ts';
import type { RequestWatch } from '../decision/gate-watch.ts';

/** A request, and where its answer goes. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly facts: RequestFacts;
  readonly watch: RequestWatch;
}

/** One that was admitted. */
export interface AdmittedRequest extends RequestContext {
  readonly admission: Admitted;
  readonly requestId: string;
}
