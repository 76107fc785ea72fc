/** The canary's two doors: the gate as every client meets it, with a caller that exists nowhere else (SPEC 15). */
import type { IncomingMessage } from 'node:http';
import { type Answer, type Ask, type Asker, Stopped } from '../../canary/answer.ts';
import type { Caller } from '../../domain/caller.ts';
import { ALL_CAMERAS, scopeOfNames } from '../../domain/camera-scope.ts';
import { ADMIN, type Role, type UserName } from '../../domain/names.ts';
import type { IdentitySource } from '../../domain/verdict.ts';
import type { GateWatch, RequestWatch } from '../../gateway/decision/gate-watch.ts';
import { createGate, type Gate } from '../../gateway/entry/gate.ts';
import type { GateDeps } from '../../gateway/entry/gate-deps.ts';
import { getInProcess } from '../../gateway/listen/in-process.ts';

/** No user and no custom role may have a hyphen in its name, so that neither is in any store or configuration. */
const CANARY_USER = 'postern-canary' as UserName;
const CANARY_ROLE = 'postern-canary' as Role;

export interface CanaryGateDeps {
  /** Its watch is not told of the canary. */
  readonly gate: Omit<GateDeps, 'watch'>;
  /** The canary's own camera. */
  readonly camera: string;
  /** Aborted when the service stops, or another configuration holds. */
  readonly signal: AbortSignal;
}

/** Asks by the pipeline: decision, obligations, narrowing and forwarding are those of a client's request. */
export function canaryAsk({ gate, camera, signal }: CanaryGateDeps): Ask {
  const doors: Readonly<Record<Asker, CanaryConnection>> = {
    canary: doorOf(gate, { role: CANARY_ROLE, scope: scopeOfNames([camera]) }),
    witness: doorOf(gate, { role: ADMIN, scope: ALL_CAMERAS }),
  };
  return (as, target) => askAt(doors[as], target, signal);
}

/** What becomes of the one request that is under way. */
interface Course {
  refused: Answer['refused'];
  isOfUpstream: boolean;
}

interface CanaryConnection {
  readonly gate: Gate;
  /** Starts the request to come: a door takes one after the other. */
  begin(): Course;
}

function doorOf(deps: Omit<GateDeps, 'watch'>, rights: Pick<Caller, 'role' | 'scope'>): CanaryConnection {
  // Its way in is its credential, as on the internal listener: no client reaches these streams.
  const caller: Caller = { name: CANARY_USER, ...rights, credential: { kind: 'internal-listener' } };
  const source: IdentitySource = { name: 'canary', identify: () => ({ kind: 'identified', caller }) };
  let course: Course = { refused: undefined, isOfUpstream: false };
  const gate = createGate('external', {
    ...deps,
    rules: () => ({
      ...deps.rules(),
      sources: { internal: [], external: [source] },
      carriesProxySecret: undefined,
      basePath: '',
      // Behind a curtain it would be refused everything of its camera, and find no leak. Nobody sees what it is shown.
      behindCurtain: undefined,
    }),
    // Nothing of it is a client's: no session is seen, no request is counted, no viewing is recorded.
    onCaller() {},
    unknownRoutes: { note() {}, list: () => [] },
    viewings: undefined,
    watch: courseWatch(() => course),
  });
  return {
    gate,
    begin() {
      course = { refused: undefined, isOfUpstream: false };
      return course;
    },
  };
}

const courseWatch = (current: () => Course): GateWatch => ({
  onRequest(): RequestWatch {
    const course = current();
    return {
      onDecision(admission) {
        if (admission.kind === 'refused') course.refused = admission.reason;
        if (admission.kind === 'nothing-visible') course.refused = 'nothing-visible';
      },
      onRefusal(reason) {
        course.refused = reason;
      },
      onFailure(reason) {
        course.refused = reason;
      },
      onHead() {
        course.isOfUpstream = true;
      },
      onFault() {},
      onUnknownRoute() {},
      onEnd() {},
      onAsked() {},
      onBytes() {},
      onUploaded() {},
      onUpstreamError() {},
      onCut() {},
      onEndedBy() {},
    };
  },
});

/** An answer that takes longer is not waited for. */
const PATIENCE_MS = 30_000;
/** The most bytes that are read: of JSON and text, which hold names; the first ones of pictures and films suffice. */
const MOST_TEXT = 1024 * 1024;
const MOST_PICTURE = 32 * 1024;
const IS_TEXT = /json|text|xml|mpegurl/i;

async function askAt({ gate, begin }: CanaryConnection, target: string, stop: AbortSignal): Promise<Answer> {
  const course = begin();
  const signal = AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const { status, headers, body, isWhole } = await getInProcess(gate, target, { mostBytes, signal });
    const told = [headers['content-disposition'], headers['link'], headers.location];
    return {
      status,
      type: headers['content-type'] ?? '',
      headers: told.filter((line) => line !== undefined).join('\n'),
      body: body.toString('utf8'),
      isWhole,
      ...course,
    };
  } catch (fault) {
    if (stop.aborted) throw new Stopped();
    throw fault;
  }
}

const mostBytes = ({ headers }: IncomingMessage): number =>
  IS_TEXT.test(headers['content-type'] ?? '') ? MOST_TEXT : MOST_PICTURE;
