-- A row of every table of 0.2.0 that nothing else writes in make-rows.ts; the same on both engines.
insert into users (name, role, password_hash, password_changed_at, created_at, has_factor, factor_epoch, password_is_generated, role_since, valid_from, valid_until, role_source, other_roles, has_password) values
  ('admin', 'admin', 'hash-a', 1760000000, 1750000000, 1, 'epoch', 0, null, null, null, null, null, 1),
  ('gina', 'guest', 'hash-g', null, 1760000001, 0, null, 1, 1760000002, 1760000003, 1900000000, 'okta', '["night"]', 0);
insert into revoked_tokens (token_id, expires_at) values ('revoked', 1900000000);
insert into custom_roles (role, cameras, limits) values
  ('night', '["porch","mill:yard"]', '{"hours":["Mon-Fri 07:00-18:00"]}'), ('plain', '["garden"]', null), ('milled', '["mill:*"]', null);
insert into seen_sessions (id, user_name, address, agent, since, last_seen, expires_at, signed_with) values
  ('session', 'admin', '192.0.2.1', 'Firefox', 1760000000, 1760000100, 1900000000, 'key');
insert into api_tokens (id, secret_hash, name, user_name, user_created_at, role, cameras, manages_accounts, logs_in, is_for_curtain, created_at, expires_at, last_used_at, last_used_from) values
  ('token-1', 'secret-1', 'phone', 'admin', 1750000000, 'viewer', '["mill:yard"]', 0, 1, 0, 1760000000, null, 1760000100, '192.0.2.1'),
  ('token-2', 'secret-2', 'button', 'admin', 1750000000, 'admin', null, 1, 0, 1, 1760000000, 1900000000, null, null);
insert into totp_secrets (user_name, secret, last_step, pending, pending_until) values ('admin', 'sealed', 58666666, null, null);
insert into recovery_codes (code_hash, user_name) values ('code', 'admin');
insert into passkeys (id, user_name, user_handle, public_key, counter, transports, is_backup_eligible, is_backed_up, name, created_at, last_used_at) values
  ('passkey', 'admin', 'handle', 'public', 7, '["usb"]', 1, 0, 'Key', 1760000000, null);
insert into invitations (token_hash, user_name, user_created_at, made_by, created_at, expires_at, used_at) values ('invitation', 'gina', 1760000001, 'admin', 1760000001, 1900000000, null);
insert into known_clients (id, user_name, last_seen) values ('client', 'admin', 1760000000);
insert into sign_ins (id, issuer, subject, provider, user_name, connected_at, last_used_at) values ('https://id.example 17', 'https://id.example', '17', 'okta', 'gina', 1760000002, 1760000003);
insert into oidc_sessions (session_id, issuer, subject, sid, expires_at) values ('session', 'https://id.example', '17', 'sid', 1900000000);
insert into identity_keys (id, sealed, created_at) values ('key', 'sealed', 1760000000);
insert into login_blocks (id, kind, subject, names, since, until, shared_window, is_open, lifted_at) values ('block', 'address', '192.0.2.9', '["admin"]', 1760000000, 1760000900, null, 1, null);
insert into curtain (camera, until, roles, drawn_by, drawn_at) values
  ('porch', null, '["viewer","night"]', 'admin', 1760000000),
  ('mill:yard', 1900000000, null, 'token:button', 1760000001),
  ('barn:yard', null, null, 'admin', 1760000004),
  ('garden*', null, null, 'admin', 1760000002),
  ('*:hall', null, '["viewer"]', 'admin', 1760000003);
insert into sites (site, cameras, roles, key_id, changed_at) values ('mill', '["yard"]', '[{"role":"night","cameras":["porch"]}]', 'key', 1760000000);
insert into links (id, secret_hash, thing, user_name, user_created_at, token_id, role, name, uses, pin_hash, notifies_on_open, created_at, expires_at, revoked_at, opened, wrong_pins, site) values
  ('link-1', 'link-secret-1', '{"kind":"event","id":"e1","camera":"porch"}', 'admin', 1750000000, null, 'admin', 'Van', 3, 'pin', 1, 1760000000, 1900000000, null, 1, 0, ''),
  ('link-2', 'link-secret-2', '{"kind":"camera","camera":"yard"}', 'admin', 1750000000, 'token-1', 'viewer', null, null, null, 0, 1760000000, 1900000000, 1760000050, 0, 0, 'mill');
insert into link_openings (id, link_id, viewer, client, at, address, agent) values ('opening', 'link-1', null, 'client', 1760000060, '192.0.2.2', 'Firefox');
insert into screens (id, secret_hash, name, user_name, user_created_at, cameras, created_at, ends_at, last_seen_at, last_seen_from, agent, site) values
  ('screen-1', 'screen-secret', 'Kitchen', 'admin', 1750000000, '["porch"]', 1760000000, null, null, null, null, '');
insert into screen_codes (device_hash, user_hash, address, agent, created_at, expires_at, state, screen_id, polled_at, site) values
  ('device', 'user', '192.0.2.3', null, 1760000000, 1760000600, 'waiting', null, null, 'mill');
