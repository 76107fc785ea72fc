/** Keys of `limits`: the server on which replicas count failed logins together (SPEC 10). */
import { z } from 'zod';
import { parseRedisUrl } from '../../domain/addresses/redis-address.ts';
import { filePath, parsed } from './value-types.ts';

const USUAL_REPLICAS = 2;
const MOST_REPLICAS = 1000;

export const limitsSection = z
  .strictObject({
    redis_url: parsed(parseRedisUrl).optional().meta({
      description:
        'Address of a Redis or Valkey on which several replicas count failed logins together: redis://<user>:<password>@<host>:<port>/<database>, rediss:// for TLS, redis+sentinel://<host>,<host>/<service name>/<database>, or redis+cluster://<host>,<host>. Unset: each process counts in its own memory.',
      example: 'redis://redis:6379',
      widens: 'any',
    }),
    redis_url_file: filePath()
      .optional()
      .meta({ description: 'A file that holds limits.redis_url.', example: '/run/secrets/redis_url', widens: 'never' }),
    replicas: z
      .int()
      .min(1)
      .max(MOST_REPLICAS)
      .prefault(USUAL_REPLICAS)
      .describe(
        'Number of replicas. While limits.redis_url cannot be reached, each of them allows the count of auth.failed_login_rate_limit divided by this number, and at least 1.',
      )
      .meta({ widens: 'lower' }),
  })
  .transform(({ redis_url_file, ...limits }) => limits)
  .prefault({})
  .describe('Login limits that several replicas share.');
