/** Where people find the service, `server.public_url`: for printed addresses, doctor, and passkeys (SPEC 12). */
export interface PublicUrl {
  /** The origin as browsers write it: `https://nvr.example.com`, `https://nvr.example.com:8443`. */
  readonly origin: string;
  /** The host alone, lower-case: a name, an IPv4 address, or an IPv6 address in brackets. */
  readonly hostname: string;
  /** The path below which the pages are: `/nvr`, or '' for none. The same as `server.base_path`. */
  readonly prefix: string;
}

/** Where people find a path of the service. Undefined while `server.public_url` is not set: `Host` is the client's word. */
export const addressMaker =
  (publicUrl: PublicUrl | undefined) =>
  (path: string): string | undefined =>
    publicUrl && publicAddress(publicUrl, path);

/** A page of the service: `path` begins with a slash. */
export const publicAddress = ({ origin, prefix }: PublicUrl, path: string): string => `${origin}${prefix}${path}`;
