/** http-proxy 1.18.1, which ships no types: what is called of it is what the one in use has, too. */
declare module 'http-proxy-1' {
  export { default } from 'http-proxy';
}
