/** What a feature is: a folder that the service works without. `all.ts` is the list, and `app/` gives the core what it needs of it. */
import type { NetworkInterfaceInfo } from 'node:os';
import type { FindSubtraction } from '../access/camera-view.ts';
import type { RecorderLayout } from '../access/recorder-layout.ts';
import type { AuditEntry } from '../accounts/audit.ts';
import type { CommandGroup } from '../accounts/http/route-commands.ts';
import type { Providers } from '../accounts/login/reauthenticate.ts';
import type { SecretPlaces } from '../accounts/sessions/signing-secret.ts';
import type { AccountServices, Lasting, Services } from '../app/services.ts';
import type { Removed, Rule, Sections, Settings } from '../config/schema/schema.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { ServiceMessage } from '../domain/accounts/notice.ts';
import type { MaybePromise } from '../domain/async.ts';
import type { Caller } from '../domain/caller.ts';
import type { Clock, DeletionGuard } from '../domain/clock.ts';
import type { CredentialKind } from '../domain/credentials.ts';
import type { Rules, StandsFor } from '../gateway/decision/admit.ts';
import type { DestinationRules } from '../gateway/decision/destinations.ts';
import type { OwnerCameras } from '../gateway/decision/owner-lookup.ts';
import type { ViewingWatch } from '../gateway/entry/pipeline.ts';
import type { Gate } from '../gateway/gate.ts';
import type { SlottedSource } from '../identity/sources.ts';
import type { BoundRoute, OwnRoute, RouteContext } from '../routes/own-route.ts';
import type { Table } from '../store/engine/tables.ts';
import type { Store } from '../store/open-store.ts';
import type { Logs } from '../telemetry/logs/log.ts';
import type { MetricFamily } from '../telemetry/series.ts';
import type { Html } from '../ui/html.ts';

export interface Feature {
  /** The name of its folder. */
  readonly name: string;
  /** Its rows of the register of tables. Its part of the store is made over them by `store.part`. */
  readonly tables?: Readonly<Record<string, Table>>;
  /** What an API token of an admin does that is made for its rows alone. The right has the name of the feature. */
  readonly tokenRight?: string;
  /** Its commands, behind those of the core. */
  readonly group?: CommandGroup;
  /** What it has beside its commands. */
  readonly load?: () => Promise<FeatureParts>;
}

/** Metrics by name, declared in the folder of the feature. */
type Families = Readonly<Record<string, MetricFamily>>;

export interface FeatureParts<Metrics extends Families = Families> {
  /** Sections of the configuration, by name. */
  readonly keys?: Sections;
  /** Keys of `auth`, by name. */
  readonly authKeys?: Sections;
  readonly removedKeys?: Removed;
  /** What its keys say of each other and of those of the core. */
  readonly rules?: readonly Rule[];
  /** The declarations: rows of the route table, and the description of the API. */
  readonly routes?: readonly OwnRoute<never>[];
  /** Every metric at its beginning: scrapes have them from the start. */
  readonly metrics?: (settings?: Settings) => Metrics;
  /** What keeps it from working with other servers, a sentence each: for doctor. */
  faults?(settings: Settings, clock: Clock): Promise<readonly string[]>;
  /** Once a process. */
  open?(services: FeatureServices, metrics: Metrics): MaybePromise<OpenFeature>;
  /** Once a command that opens the store. */
  openForCommand?(services: CommandServices): MaybePromise<OpenForCommand>;
}

/** What was done, as it is recorded. Other fields that are texts are recorded, too. */
export type AuditedAct = { readonly what: string } & Pick<AuditEntry, 'verdict'> & {
    readonly [Field in 'who' | 'from' | 'credential' | 'reason' | 'tokenId' | 'unknown']?:
      | AuditEntry[Field]
      | undefined;
  };

/** What people, and the administrators of the service, are told: one feature sends, another one delivers. */
export interface Messages {
  send(message: ServiceMessage): void;
  onMessage(deliver: (message: ServiceMessage) => void): void;
}

/** What outlives every reload. */
export interface FeatureServices extends Lasting {
  readonly logs: Logs;
  readonly mayDelete: DeletionGuard;
  readonly messages: Messages;
  /** A clock that is never set. */
  readonly steadyClock: Clock;
  /** The settings of the start. */
  readonly settings: Settings;
  /** The active ones. */
  readonly activeSettings: () => Settings;
  /** The networks around, instead of those of this machine. */
  readonly surroundings?: (() => Promise<NetworkSurroundings>) | undefined;
}

export interface OpenFeature {
  /** Receives everything that is audited. */
  note?(act: AuditedAct): void;
  /** Resolves when what was noted so far is written, or cannot be. */
  recorded?(): Promise<void>;
  /** The identity providers of one configuration. */
  providers?(settings: Settings): Providers;
  /** Cameras to take out of what a holder sees. */
  readonly subtraction?: FindSubtraction;
  /** What its credentials are worth under one configuration. */
  identities?(rules: IdentityRules): FeatureIdentities;
  /** What holds under one configuration; it has no effects. */
  under?(rules: FeatureRules): ActiveFeature;
  /** The service listens. Nothing waits for what is begun here. */
  started?(config: ServiceConfig): void;
  /** A sentence each. */
  warnings?(): readonly string[];
  close?(): MaybePromise<void>;
}

/** What credentials are judged by. */
export interface IdentityRules
  extends Pick<AccountServices, 'clock' | 'grace' | 'grants' | 'makerRights' | 'roleRegistry' | 'tokens' | 'settings'> {
  readonly store: Store;
}

export interface FeatureIdentities {
  readonly sources: readonly SlottedSource[];
  /** The caller as of now; undefined when the credential no longer holds. */
  readonly rechecks?: Partial<Readonly<Record<CredentialKind, (caller: Caller) => Promise<Caller | undefined>>>>;
  /** What paths of its own stand for. `isNoted`: as for a source. */
  readonly standsFor?: (isNoted?: boolean) => StandsFor;
}

/** What holds under one configuration. */
export interface FeatureRules {
  readonly config: ServiceConfig;
  readonly services: Services;
  /** What keeps features from working with other servers, a sentence each. */
  readonly faults: () => Promise<readonly string[]>;
  /** The cameras that exist now. */
  readonly layout: () => RecorderLayout | undefined;
  /** The cameras of an event, review, export or case. */
  readonly camerasOf: OwnerCameras;
  readonly destinations: DestinationRules;
  /** The rules of the decision as they are now, without counters. */
  readonly rules: () => Rules;
}

export interface ActiveFeature {
  readonly routes?: readonly BoundRoute[];
  readonly viewings?: ViewingWatch | undefined;
  /** What it tells of the caller in the profile. */
  readonly inProfile?: (ctx: RouteContext, caller: Caller) => MaybePromise<object | undefined>;
  /** Shown below the form of the login page, which leads to `wanted`. */
  readonly onLoginPage?: (ctx: RouteContext, wanted: string) => MaybePromise<Html | undefined>;
  /** May refuse a visitor whose request was admitted. */
  readonly enter?: Gate['enter'];
  readonly visitorFault?: Gate['visitorFault'];
}

export interface CommandServices extends Pick<FeatureServices, 'settings' | 'clock' | 'messages'> {
  readonly store: Store;
  /** Where the secret lies that sessions are signed with. */
  readonly secretPlaces: SecretPlaces;
  readonly warn: (sentence: string) => void;
}

export interface OpenForCommand extends Pick<OpenFeature, 'note' | 'identities' | 'subtraction'> {
  /** The routes that commands call. What requests alone need is absent from the services. */
  routes?(services: Services): readonly BoundRoute[];
  /** The command ends. Never rejects: what was done is done. */
  close?(): Promise<void>;
}

/** The networks that this machine or container is on. */
export interface NetworkSurroundings {
  readonly isContainer: boolean;
  readonly interfaces: readonly NetworkInterface[];
  /** `/proc/net/route`; '' where there is none. */
  readonly routes: string;
  /** The address of the host in `nvr.url`, looked up. */
  readonly nvrAddress: string | undefined;
}

export type NetworkInterface = { readonly name: string } & Readonly<
  Pick<NetworkInterfaceInfo, 'address' | 'cidr' | 'internal'>
>;
