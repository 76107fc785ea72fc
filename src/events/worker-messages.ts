/** What the gate and the events worker say to each other; everything here passes between threads. */
import type { CustomRoles } from '../domain/camera-scope.ts';
import type { CameraName } from '../domain/names.ts';
import type { StoreFault } from '../domain/store/store-fault.ts';

/** The worker's `workerData`. */
export interface EventsWorkerSettings {
  /** `sqlite:/absolute/path`, of a store that is there. */
  readonly storeUrl: string;
  /** Read instead of the store when given: the path of the NVR's own database. */
  readonly nvrDatabase: string | undefined;
  /** The path of the socket, in a directory that only the service may enter: each client of it is believed. */
  readonly socketPath: string;
  readonly roles: CustomRoles;
  /** Null when no list is known: then the cameras that have events. */
  readonly cameras: readonly CameraName[] | null;
  readonly maxLimit: number;
  /** How long one question may take, in seconds. */
  readonly queryTimeout: number;
}

export type ToEventsWorker =
  | { readonly kind: 'roles'; readonly roles: CustomRoles; readonly cameras: readonly CameraName[] | null }
  | { readonly kind: 'stop' };

export type FromEventsWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'fault'; readonly message: string; readonly storeFault: StoreFault | undefined };
