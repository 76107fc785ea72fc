/** What doctor saw of the way between a browser and Postern, before anything is made of it (SPEC 15). */

/** The answer to one probe, or why there was none. */
export type ProbeResponse =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The headers by lower-case name; lines of one name are a list. */
      readonly headers: Readonly<Record<string, readonly string[]>>;
      readonly body: string;
      /** The port that this end of the connection had. */
      readonly localPort: number;
    }
  /** `code` is Node's, such as `ECONNREFUSED`. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** How a probe's request arrived at Postern: the answer of `/postern/api/doctor/seen`. */
export interface ArrivedProbe {
  readonly method: string;
  /** Less the base path. */
  readonly target: string;
  readonly httpVersion: string;
  /** The TCP peer: the proxy, or doctor itself. */
  readonly peer: string;
  readonly peerPort: number;
  /** Whether the peer is in auth.trusted_proxies. */
  readonly peerTrusted: boolean;
  /** The client's address as Postern found it. */
  readonly client: string;
  /** Whether Postern takes the browser to have come over TLS. */
  readonly encrypted: boolean;
  readonly basePath: string;
  /** Unix seconds of Postern's clock. */
  readonly time: number;
  /** Some of the headers, a line each, by lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly cookies: readonly string[];
  /** SHA-256 of the certificate that Postern showed on this connection; undefined without TLS. */
  readonly certificate?: string;
}

export interface TlsSeen {
  /** Node's words for what is wrong with the chain or the name; undefined when a browser would take it. */
  readonly fault: string | undefined;
  /** Unix seconds. */
  readonly endsAt: number;
  readonly offersHttp2: boolean;
  /** SHA-256 of the certificate. */
  readonly certificate: string;
}

/** A stream that says something, is silent for a while, and says its last. */
export interface StreamSeen {
  /** Whether what was said first was delayed by no more than a second. */
  readonly cameAtOnce: boolean;
  readonly wasWhole: boolean;
  readonly encoding: string | undefined;
  /** Seconds of silence that were asked for. */
  readonly silence: number;
  /** Seconds that the whole of it took. */
  readonly took: number;
}

/** A port of the NVR's that is reachable where browsers come from. */
export interface OpenPort {
  readonly port: number;
  readonly what: string;
  /** Not every program there can be told by its answer: this one was told by its silence. */
  readonly ask?: 'webrtc';
}

/** A port of the NVR that answers at an address of this machine, or of the machine that a container runs on. */
export interface ExposedPort extends OpenPort {
  readonly address: string;
}

/** What the machine itself says; a part that was not looked at is undefined. */
export interface InsideSeen {
  /** Why the NVR does not answer; null when it does; undefined without one. */
  readonly nvrFault: string | null | undefined;
  readonly cameras: number | undefined;
  /** Bytes free where the configuration directory is. */
  readonly freeBytes: number | undefined;
  /** Why the store does not answer; null when it does. */
  readonly storeFault: string | null | undefined;
  /** What the NVR says of itself, and the version that the route table was made for. */
  readonly nvrVersion: string | undefined;
  readonly policyNvrVersion: string | undefined;
  /** `auth.second_factor`; undefined where no account logs in here. */
  readonly secondFactor: string | undefined;
  /** Admins who log in with a password alone, and all admins; undefined where that was not looked at. */
  readonly admins: { readonly withoutFactor: number; readonly all: number } | undefined;
  /** What keeps people from signing in with OpenID Connect providers, a sentence each. */
  readonly providerFaults: readonly string[];
  readonly exposed: readonly ExposedPort[];
  readonly openPorts: readonly OpenPort[];
}

/** Routes of Postern below `/api/`, asked again and again: each answer has an id of its own, unless it is from a cache. */
export interface ApiSeen {
  /** Who the caller is: asked with doctor's token, without any, and with the token once more. */
  readonly known: ProbeResponse;
  readonly unknown: ProbeResponse;
  readonly knownAgain: ProbeResponse;
  /** What everybody may ask, from two browsers, each with a cookie and no token: proxies keep answers to a token less often. */
  readonly forEverybody: readonly ProbeResponse[];
  /** What ends as a picture: asked with the token, from the two browsers, and without anything. */
  readonly pictures: readonly ProbeResponse[];
}

/** What the first probe saw. */
export interface FirstSeen {
  readonly url: {
    readonly protocol: 'http:' | 'https:';
    readonly host: string;
    /** The path below which the pages are said to be; '' for none. */
    readonly prefix: string;
  };
  /** Unix seconds of the clock here, when the first probe was answered. */
  readonly now: number;
  /** Names of the headers that Postern takes an identity from; none with accounts of its own. */
  readonly identityHeaders: readonly string[];
  readonly reach: ProbeResponse;
  readonly tls: TlsSeen | undefined;
  /** Undefined when Postern was not reached, or did not know doctor's token. */
  readonly seen: ArrivedProbe | undefined;
}

/** What all others saw, where the first arrived. */
export interface WaySeen extends FirstSeen {
  readonly seen: ArrivedProbe;
  readonly upgrade: ProbeResponse;
  readonly put: ProbeResponse;
  readonly upload: ProbeResponse;
  readonly file: ProbeResponse;
  readonly api: ApiSeen;
  /** A question that Postern refuses with a sentence in JSON. */
  readonly refused: ProbeResponse;
  readonly stream: StreamSeen | undefined;
  readonly events: StreamSeen | undefined;
  /** The same, with a length that is said before. */
  readonly download: StreamSeen | undefined;
}
