/** What a person writes into `.env`, of the form that the comments of deploy/compose ask for. */
export const GIVEN: Readonly<Record<string, string>> = {
  NVR_HOST: 'nvr.example.com',
  AUTH_HOST: 'auth.example.com',
  HOUSE_HOST: 'house.example.com',
  BARN_HOST: 'barn.example.com',
  COOKIE_DOMAIN: 'example.com',
  ADMIN_PASSWORD_HASH: '$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA',
  PROXY_SECRET: 'b5f9d1c3e7a84620918273645546372819b5f9d1c3e7a8462091827364554637',
  SESSION_SECRET: 'one',
  STORAGE_KEY: 'two',
  RESET_SECRET: 'three',
  OIDC_ISSUER: 'https://id.example.com',
  OIDC_CLIENT_ID: 'nvr',
  OIDC_CLIENT_SECRET: 'four',
  JWT_SECRET: 'd41f0a6c5b7e3829d41f0a6c5b7e3829d41f0a6c5b7e3829d41f0a6c5b7e3829',
  STORE_PASSWORD: 'five',
  COOKIE_SECRET: '0123456789abcdef0123456789abcdef',
};
