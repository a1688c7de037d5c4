import cors from '@koa/cors';
import type { Middleware } from 'koa';

export interface CorsOptions {
  /** Origins exactly as browsers send them: `https://app.example`. */
  readonly corsAllowedOrigins: readonly string[];
  /** Allows every port of `localhost` and `127.0.0.1` besides. */
  readonly corsDevLocalhost: boolean;
}

/**
 * Cross-origin rules (Fetch standard), undefined when no origin is allowed. A page from an origin that is not allowed gets
 * no header that lets it read anything, and its preflight is a method like any other.
 */
export const createCorsPolicy = ({ corsAllowedOrigins, corsDevLocalhost }: CorsOptions): Middleware | undefined => {
  if (corsAllowedOrigins.length === 0 && !corsDevLocalhost) return undefined;
  const allowed = new Set(corsAllowedOrigins);
  return cors({
    origin: (context) => {
      const origin = context.get('Origin');
      return allowed.has(origin) || (corsDevLocalhost && LOCALHOST.test(origin)) ? origin : '';
    },
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: EXPOSED,
    maxAge: 600,
  });
};

const LOCALHOST = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/;

const EXPOSED = [
  'X-Request-Id',
  'X-Total-Count',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Idempotency-Replayed',
];
