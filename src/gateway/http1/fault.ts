/** What goes wrong with an upstream: an error with a code, as Node's have one, so that all are read alike. */

/**
 * Node's own codes where it has one: `HPE_…` is what its parser says of bytes that are no HTTP/1.1, `ECONNRESET` a
 * connection that ended too early, `ETIMEDOUT` one that took too long to open or to answer.
 */
export type FaultCode =
  | 'HPE_INVALID_CONSTANT'
  | 'HPE_INVALID_STATUS'
  | 'HPE_INVALID_HEADER_TOKEN'
  | 'HPE_INVALID_CONTENT_LENGTH'
  | 'HPE_UNEXPECTED_CONTENT_LENGTH'
  | 'HPE_INVALID_TRANSFER_ENCODING'
  | 'HPE_INVALID_CHUNK_SIZE'
  | 'HPE_HEADER_OVERFLOW'
  | 'ECONNRESET'
  | 'ETIMEDOUT'
  | 'ERR_UPSTREAM_IDLE';

export const SENTENCES: Readonly<Record<FaultCode, string>> = {
  HPE_INVALID_CONSTANT: 'the upstream did not answer in HTTP/1.1',
  HPE_INVALID_STATUS: 'the status of the response is invalid',
  HPE_INVALID_HEADER_TOKEN: 'a header line of the response is malformed',
  HPE_INVALID_CONTENT_LENGTH: 'the Content-Length of the response is no number',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'the response tells its length in more than one way',
  HPE_INVALID_TRANSFER_ENCODING: 'the Transfer-Encoding of the response is not chunked',
  HPE_INVALID_CHUNK_SIZE: 'a chunk of the response is malformed',
  HPE_HEADER_OVERFLOW: 'the head or the trailers of the response are too large',
  ECONNRESET: 'the upstream closed the connection before its response was whole',
  ETIMEDOUT: 'the upstream took too long',
  ERR_UPSTREAM_IDLE: 'the upstream fell silent in the middle of its response',
};

export const upstreamError = (code: FaultCode): NodeJS.ErrnoException =>
  Object.assign(new Error(SENTENCES[code]), { code });
