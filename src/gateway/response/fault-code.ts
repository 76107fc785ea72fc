/** Node's code for what went wrong with an upstream, or undici's. What is no HTTP at all has none of its own. */
export function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'HTTPParserError' ? 'HPE_INVALID' : '';
}
